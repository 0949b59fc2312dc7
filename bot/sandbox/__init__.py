"""Everything outside the bot, on loopback: stand-ins for Slack, the model, Composio and the web."""
