"""`${VAR}` and `${VAR:-default}` in the texts of a server's entry. Pure."""

import re
from collections.abc import Mapping

from agent_core.tools.pins import WORKSPACE

_PLACE = re.compile(r"\$\{([^}]*)\}")
_VARIABLE = re.compile(r"(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)


class Expansion:
    """Fills in variables, and collects what stands in the way. An empty variable counts as unset.

    Attributes:
        unset: The variables that are needed and not set, in the order of their first use.
        strange: Places that are no variables, such as `${input:token}`.
    """

    def __init__(self, environment: Mapping[str, str], *, has_workspace: bool) -> None:
        self._environment = environment
        self._has_workspace = has_workspace
        self.unset: dict[str, None] = {}
        self.strange: dict[str, None] = {}

    def fill(self, text: str) -> str:
        """The text with its variables; `${WORKSPACE}` stays where sessions fill it in."""
        return _PLACE.sub(self._value, text)

    def fill_all(self, texts: Mapping[str, str]) -> dict[str, str]:
        """The same names with filled texts."""
        return {name: self.fill(text) for name, text in texts.items()}

    def _value(self, place: re.Match[str]) -> str:
        whole, inside = place.group(), place.group(1)
        if whole == WORKSPACE and self._has_workspace:
            return whole
        found = _VARIABLE.fullmatch(inside)
        if found is None:
            self.strange[whole] = None
            return whole
        name, default = found.group(1), found.group(2)
        value = self._environment.get(name, "") or default
        if value is None:
            self.unset[name] = None
            return ""
        return value
