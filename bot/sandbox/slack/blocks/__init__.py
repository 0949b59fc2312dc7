"""Block Kit as Slack checks it before it shows anything."""

from bot.sandbox.slack.blocks.surfaces import check_message_blocks as check_message_blocks
from bot.sandbox.slack.blocks.surfaces import check_view as check_view
from bot.sandbox.slack.blocks.surfaces import find_message_problems as find_message_problems
from bot.sandbox.slack.blocks.surfaces import find_view_problems as find_view_problems
