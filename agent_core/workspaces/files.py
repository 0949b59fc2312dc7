"""How files of a workspace are written: whole or not at all, as UTF-8."""

import json
import os
import uuid
from datetime import UTC, datetime
from pathlib import Path

from agent_core.messages import JsonObject


def write_text(path: Path, text: str) -> None:
    """Write a file atomically, making its directory. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        with part.open("w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: JsonObject) -> None:
    """Write a JSON file atomically, readable by people. Raises OSError."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n")


def timestamp(moment: datetime) -> str:
    """UTC as the files of a workspace write it: ISO with microseconds and without an offset."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
