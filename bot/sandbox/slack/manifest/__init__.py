"""App manifests as Slack checks them."""

from bot.sandbox.slack.manifest.validation import find_manifest_problems as find_manifest_problems
