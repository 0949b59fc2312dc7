"""What the stand-in does for a person in an app: read the order, find the tool, fill it, run it."""
