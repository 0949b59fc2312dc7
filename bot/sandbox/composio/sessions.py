"""Sessions of the tool router: whose they are, and what they were made with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from bot.sandbox.composio.records import Data, RestError, as_data, make_id

_OPTIONS = {"manage_connections", "workbench", "proxy_execute", "preload", "toolkits"}
"""What a session can be made with here. All else is refused, so that nobody relies on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One person's access to tools."""

    id: str
    user_id: str
    options: Mapping[str, Any]

    def allows(self, toolkit: str) -> bool:
        """Whether the tools of an app may be used."""
        enabled = self.option("toolkits", "enable")
        if enabled is not None:
            return toolkit in enabled
        return toolkit not in (self.option("toolkits", "disable") or [])

    def has(self, feature: str | None) -> bool:
        """Whether `manage_connections` or `workbench` is on, as it is unless turned off."""
        if feature is None:
            return True
        return (
            self.options.get(feature) is not False and self.option(feature, "enable") is not False
        )

    def option(self, feature: str, name: str) -> Any:
        """A part of an option; None where it was not named."""
        return as_data(self.options.get(feature)).get(name)

    @property
    def preloaded(self) -> frozenset[str]:
        """The app tools that are offered by name beside the meta tools."""
        slugs: object = self.option("preload", "tools")
        return frozenset(cast("list[str]", slugs) if isinstance(slugs, list) else [])


def open_session(body: Data) -> Session:
    """A new session as a request asks for it.

    Raises:
        RestError: it names nobody, or something that is not here.
    """
    user_id = body.get("user_id")
    if not isinstance(user_id, str) or not user_id:
        raise RestError(400, "HTTP_BadRequest", "user_id: a non-empty string is required")
    for name in body.keys() - _OPTIONS - {"user_id"}:
        raise RestError(400, "HTTP_BadRequest", f"{name}: is not part of this sandbox")
    options = {name: body[name] for name in body.keys() & _OPTIONS}
    if isinstance(options.get("toolkits"), list):
        options["toolkits"] = {"enable": options["toolkits"]}
    return Session(id=make_id("trs"), user_id=user_id, options=options)
