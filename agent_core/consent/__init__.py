"""Consent: what a tool call may do, who has to approve it, and what may leave the session.

The door of this room: other rooms import from here alone. Read `gate.py` first.
"""

from agent_core.consent.approvals import ask_of
from agent_core.consent.gate import ConsentGate
from agent_core.consent.policy import Policy, PolicyRule, read_policy
from agent_core.consent.recipients import recipients_of, storage_keys, unpacked
from agent_core.consent.results import (
    LOCAL_SEARCHES,
    LinkPlaces,
    fresh_links,
    name_of_record,
    without_secret,
)

__all__ = [
    "LOCAL_SEARCHES",
    "ConsentGate",
    "LinkPlaces",
    "Policy",
    "PolicyRule",
    "ask_of",
    "fresh_links",
    "name_of_record",
    "read_policy",
    "recipients_of",
    "storage_keys",
    "unpacked",
    "without_secret",
]
