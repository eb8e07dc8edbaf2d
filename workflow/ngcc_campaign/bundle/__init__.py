"""All evidence of a system in one file."""
