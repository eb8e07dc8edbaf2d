"""What is asked for, which evidence that is, what it is made from, and which of it is stale."""
