"""The bot's fixed sentences: one Fluent catalogue a language beside this file."""

from agent_core.words import Catalogue

BOT = Catalogue("bot.words")
"""What is said in Slack."""
