"""What an approval is bound to, as one digest: change a byte of it and it is another one."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from agent_core.ids import SessionId, UserId
from agent_core.messages import JsonObject

_FORM = 1
"""Raise it with every change of what goes in: an open approval then fits no call any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedAction:
    """One action as it is approved."""

    slug: str
    arguments: JsonObject
    account: str
    """The connected account's id; empty where none is used."""
    schema_digest: str
    """Of the tool's definition, as it stood when the person was asked."""


def digest_of(
    *,
    tool: str,
    arguments: JsonObject,
    actions: Sequence[SealedAction],
    session: SessionId,
    asker: UserId,
) -> str:
    """SHA-256 in hex over the whole call, each of its actions, the session and the asker.

    `arguments` are those of the call itself, so that nothing that is sent stays outside. Texts
    count byte by byte: two spellings that look alike differ, as do `1`, `1.0` and `true`.
    """
    return digest_of_json(
        {
            "form": _FORM,
            "tool": tool,
            "arguments": arguments,
            "actions": [
                [each.slug, each.arguments, each.account, each.schema_digest] for each in actions
            ],
            "session": session,
            "asker": asker,
        }
    )


def digest_of_json(value: object) -> str:
    """SHA-256 in hex of canonical JSON: sorted names, no white space, lone surrogates kept."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
