"""The app's manifest, from which the sandbox's Slack installs the bot."""

from pathlib import Path

import yaml

from bot.sandbox.slack.wire import JsonObject

PATH = Path(__file__).parents[2] / "manifest.yml"


def read_manifest() -> JsonObject:
    """What manifest.yml of this checkout says.

    Raises:
        NoManifestError: this is no checkout: an installed wheel has no manifest.
    """
    try:
        return yaml.safe_load(PATH.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise NoManifestError(
            "there is no manifest.yml beside the packages; run it in a checkout of the repository"
        ) from error


class NoManifestError(Exception):
    """The sandbox was started outside of a checkout."""
