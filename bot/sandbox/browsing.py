"""A person's browser, as far as agreeing needs one: a page is read, and its form sent off."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin

import aiohttp

PATIENCE_S = 30.0


class NoFormError(Exception):
    """The page has nothing to agree with, or did not take it; the message says which."""


@dataclass(slots=True)
class _Form:
    action: str
    fields: dict[str, str] = field(default_factory=dict[str, str])
    buttons: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    """Name, value and label of each."""


async def agree(url: str, label: str = "Allow") -> None:
    """Open a page and press the button of this label in one of its forms.

    Raises:
        NoFormError: there is none, or the page's server refuses.
    """
    timeout = aiohttp.ClientTimeout(total=PATIENCE_S)
    try:
        async with aiohttp.ClientSession(timeout=timeout, raise_for_status=True) as session:
            async with session.get(url) as page:
                action, fields = _find(await page.text(), label)
            async with session.post(urljoin(url, action), data=fields):
                return
    except (aiohttp.ClientError, TimeoutError) as error:
        raise NoFormError(
            f"The page of the link failed: {error or type(error).__name__}"
        ) from error


def _find(html: str, label: str) -> tuple[str, dict[str, str]]:
    """Where the form of this button goes, and what it sends."""
    reader = _Reader()
    reader.feed(html)
    for form in reader.forms:
        for name, value, text in form.buttons:
            if label.casefold() in {value.casefold(), text.strip().casefold()}:
                return form.action, {**form.fields, **({name: value} if name else {})}
    raise NoFormError(f"The page of the link has no button {label}.")


class _Reader(HTMLParser):
    """Collects a page's forms with their hidden fields and buttons."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[_Form] = []
        self._is_in_button = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(_Form(action=given.get("action", "")))
        elif not self.forms:
            return
        elif tag == "button" or (tag == "input" and given.get("type") == "submit"):
            self._is_in_button = tag == "button"
            name, value = given.get("name", ""), given.get("value", "")
            self.forms[-1].buttons.append((name, value, ""))
        elif tag == "input" and given.get("name"):
            self.forms[-1].fields[given["name"]] = given.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "button":
            self._is_in_button = False

    def handle_data(self, data: str) -> None:
        if self._is_in_button:
            name, value, text = self.forms[-1].buttons[-1]
            self.forms[-1].buttons[-1] = (name, value, text + data)
