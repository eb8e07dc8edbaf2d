"""What `ngcc-campaign onboard` reads of a submission: its files in place, its C, its KAT texts, its build scripts."""
