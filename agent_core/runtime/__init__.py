"""The front door of the core: hand over a message, read the events of its turn."""

from agent_core.runtime.build import build_runtime
from agent_core.runtime.runtime import Runtime

__all__ = ["Runtime", "build_runtime"]
