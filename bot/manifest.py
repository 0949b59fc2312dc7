"""The Slack app's manifest: beside the package in a checkout, inside it in an installed wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).parent
_FILES = (_PACKAGE / "manifest.yml", _PACKAGE.parent / "manifest.yml")


def manifest_text() -> str:
    """The manifest's YAML. Raises FileNotFoundError, which says where it should lie."""
    for file in _FILES:
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise FileNotFoundError(f"there is no manifest.yml, neither {_FILES[0]} nor {_FILES[1]}")
