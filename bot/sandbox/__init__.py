"""The embedded world in which the bot can be tried without Slack, keys or the internet."""


class SandboxError(Exception):
    """What ends a run of the sandbox; the message is for the person who started it."""
