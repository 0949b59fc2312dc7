"""Recurring work: when it is due, and what was asked for in words."""
