"""Schedules as people see them: ordered in words, agreed on with a click, told in a channel."""
