"""The remote workbench: each person's remote files, and a small Python that works on them."""

from bot.sandbox.composio.workbench.files import MOUNT, RemoteFiles, RemoteTree
from bot.sandbox.composio.workbench.workbench import Workbench

__all__ = ["MOUNT", "RemoteFiles", "RemoteTree", "Workbench"]
