"""What people do about Asks: their clicks and forms, handed to the core."""
