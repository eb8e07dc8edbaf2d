"""Two result sets side by side: what each holds, in which setting it was made, what changed, and how that is shown."""
