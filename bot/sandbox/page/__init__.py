"""A web page like Slack over the stand-in: look at the team, act as one of its people."""

from bot.sandbox.page.features import Command as Command
from bot.sandbox.page.features import Shortcut as Shortcut
from bot.sandbox.page.page import NoPortError as NoPortError
from bot.sandbox.page.page import Page as Page
