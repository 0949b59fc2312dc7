"""`bot check`: tries each thing that the bot depends on once, and says what to do about it."""
