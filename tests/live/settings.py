"""Whether the live tests, and those that install servers, can run."""

import os


def has_model_key() -> bool:
    """Whether a real model can be reached with what the environment holds."""
    return bool(os.environ.get("ANTHROPIC_API_KEY"))


def may_install() -> bool:
    """Whether whoever runs the tests wants packages to be fetched from the registries."""
    return bool(os.environ.get("RUN_FLEET"))
