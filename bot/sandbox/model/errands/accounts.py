"""The person's account of an app: whether it is connected, and whose it is."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from bot.sandbox.model.conversation import Call
from bot.sandbox.model.errands.results import OVERTAKEN, objects_of, split_result
from bot.sandbox.model.errands.wording import FOUND_ADDRESS
from bot.sandbox.model.wire import Json, as_list, as_object, as_text, walk

Connection = Literal["active", "refused", "open"]
COMPLETED = re.compile(r"\bauthentication (?:is |was )?complete", re.IGNORECASE)
DONE = re.compile(
    r"\b(?:is|are|now|was|been) connected\b|"
    r"\bconnected as\b|\balready connected\b",
    re.IGNORECASE,
)
NOT_DONE = re.compile(
    r"\bnot want to connect|\bnot (?:\w+ )?connected|\bskipped|\bdeclined|\bdenied|\bfailed|"
    r"\bexpired|\brefused|\bdid not connect|\bin time\b|\bnobody\b|\bcould not\b",
    re.IGNORECASE,
)
WORDS: tuple[tuple[Connection, re.Pattern[str]], ...] = (
    ("active", COMPLETED),
    ("open", OVERTAKEN),
    ("refused", NOT_DONE),
    ("active", DONE),
)
BAD = frozenset({"failed", "expired", "inactive", "revoked", "error"})
IDENTITY_KEYS = ("current_user_info", "user_info", "identity", "account_identity")
ACCOUNT_WORDS = re.compile(
    r"\b(?:connected as|account(?: used)?|signed in as|acting as|as the account)\b\W{0,4}"
    rf"(?P<who>{FOUND_ADDRESS.pattern}|@\w[\w.-]*\w)?",
    re.IGNORECASE,
)
ACTED_KEY = re.compile(r"act(?:ed|ing)_as|(?:used_)?accounts?(?:_used)?", re.IGNORECASE)
"""Beside the results of a batch: by app the account that was used."""
MAIL_KEYS = ("email", "emailAddress", "email_address", "mail")


def read_connection(call: Call, toolkit: str) -> Connection:
    """What came of asking to connect: words of the result go before its JSON.

    `open` means that nothing was decided: a link waits for the person.
    """
    prose = split_result(call.result)[1]
    for connection, pattern in WORDS:
        if pattern.search(prose):
            return connection
    state = _state(call, toolkit)
    status = as_text(state.get("status")).casefold()
    if state.get("has_active_connection") is True or status == "active":
        return "active"
    return "refused" if call.is_error or status in BAD else "open"


def _state(call: Call, toolkit: str) -> Json:
    """What the result's JSON tells of a toolkit."""
    for entry in objects_of(call):
        if inner := as_object(as_object(entry.get("results")).get(toolkit)):
            return inner
        if entry.get("toolkit") == toolkit:
            return entry
    return {}


def find_own_address(calls: Iterable[Call], toolkit: str) -> str:
    """The address that the person's account of the app has, as its results tell; may be empty.

    Only what a result says of the account itself counts, never an address in some text.
    """
    for call in calls:
        for entry in objects_of(call):
            if address := _address_in(entry, toolkit):
                return address
        if call.purpose == "manage_connections":
            prose = split_result(call.result)[1]
            if DONE.search(prose) and (named := FOUND_ADDRESS.search(prose)):
                return named[0]
    return ""


def find_profile_address(call: Call, slug: str) -> str:
    """The address in the answer of a tool that tells the person's own."""
    for entry in objects_of(call):
        if entry.get("tool_slug") in (slug, None):
            for inner in walk(entry.get("response")):
                if address := _mail_in(inner):
                    return address
    return ""


def account_told(call: Call, toolkit: str) -> str:
    """The account of the app that a result names as the one that acted; may be empty."""
    objects, prose = split_result(call.result)
    for whole in objects:
        for key, value in whole.items():
            if ACTED_KEY.fullmatch(key) and (who := as_text(as_object(value).get(toolkit))):
                return who
    match = ACCOUNT_WORDS.search(prose)
    return (match["who"] or "") if match else ""


def default_account(entries: Sequence[Json], toolkit: str) -> str:
    """The alias or id of the account to use where a search says that one must be chosen."""
    for entry in entries:
        if entry.get("toolkit") == toolkit and entry.get("account_selection") == "required":
            accounts = [as_object(account) for account in as_list(entry.get("accounts"))]
            accounts.sort(key=lambda account: account.get("is_default") is not True)
            names = (as_text(a.get("alias")) or as_text(a.get("id")) for a in accounts)
            return next(filter(None, names), "")
    return ""


def _address_in(entry: Json, toolkit: str) -> str:
    if entry.get("toolkit") not in (toolkit, None):
        return ""
    for account in [entry, *(as_object(a) for a in as_list(entry.get("accounts")))]:
        for key in IDENTITY_KEYS:
            value = account.get(key)
            found = FOUND_ADDRESS.fullmatch(as_text(value))
            if address := (found[0] if found else _mail_in(as_object(value))):
                return address
    return ""


def _mail_in(info: Json) -> str:
    for key in MAIL_KEYS:
        if found := FOUND_ADDRESS.fullmatch(as_text(info.get(key))):
            return found[0]
    return ""
