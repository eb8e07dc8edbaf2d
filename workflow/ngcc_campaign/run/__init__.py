"""One run of the workflow: its lock, what a person sees meanwhile, and how it ends."""
