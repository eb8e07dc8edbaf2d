"""What all stages share: files, processes, schemas, and how a person's mistake is said."""
