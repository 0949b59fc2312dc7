"""A Slack on loopback: Web API, Socket Mode, people to act as. Imports nothing of the product."""

from bot.sandbox.slack.records import AgentSession as AgentSession
from bot.sandbox.slack.records import ApiCall as ApiCall
from bot.sandbox.slack.records import Delivery as Delivery
from bot.sandbox.slack.records import File as File
from bot.sandbox.slack.records import Post as Post
from bot.sandbox.slack.records import View as View
from bot.sandbox.slack.standin import SlackStandIn as SlackStandIn
from bot.sandbox.slack.state import App as App
from bot.sandbox.slack.state import SandboxClock as SandboxClock
