"""Everything that knows Slack: ingress, presenter, console and the sandbox."""
