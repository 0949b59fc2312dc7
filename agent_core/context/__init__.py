"""What the model sees: the system prompt from files, and a history that is always valid."""
