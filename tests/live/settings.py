"""Whether the live tests can run."""

import os


def has_model_key() -> bool:
    """Whether a real model can be reached with what the environment holds."""
    return bool(os.environ.get("ANTHROPIC_API_KEY"))
