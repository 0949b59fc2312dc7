"""Block Kit as Slack checks it before it shows anything."""

from bot.sandbox.slack.blocks.surfaces import check_message_blocks as check_message_blocks
from bot.sandbox.slack.blocks.surfaces import check_view as check_view
