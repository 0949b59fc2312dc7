"""A web page like Slack over the stand-in: look at the team, act as one of its people."""

from bot.sandbox.page.server import SandboxPage as SandboxPage
