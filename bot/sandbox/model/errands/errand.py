"""One order on its way, with everything that the conversation shows as done for it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from bot.sandbox.model.conversation import Call, Conversation
from bot.sandbox.model.errands.accounts import account_told, find_own_address, find_profile_address
from bot.sandbox.model.errands.apps import Found, is_search_for, read_found, use_case_of
from bot.sandbox.model.errands.filling import Role
from bot.sandbox.model.errands.findings import Findings
from bot.sandbox.model.errands.results import Outcome, read_outcome
from bot.sandbox.model.errands.telling import question
from bot.sandbox.model.errands.wording import Wording
from bot.sandbox.model.orders import Order
from bot.sandbox.model.wire import Json, as_list, as_object

MAX_OVERTAKEN = 2
TAKES_BACK = re.compile(
    r"\b(?:don't|do not|cancel|stop|never ?mind|leave it|forget (?:it|about)|doch nicht|lass es|"
    r"nicht (?:mehr|senden|schick\w*)|abbrechen|vergiss)\b",
    re.IGNORECASE,
)
ANSWERED = re.compile(r"^[^:\n]{1,80}\banswered:\s*", re.IGNORECASE)
UNANSWERED = re.compile(r"^\W*nobody answered\b", re.IGNORECASE)
TODAY = re.compile(r"\b[Tt]oday is (?P<day>\d{1,2} [A-Z]\w+ \d{4}|\d{4}-\d{2}-\d{2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """An order with what it says, what there is to pass on, and the calls made for it."""

    conversation: Conversation
    order: Order
    wording: Wording
    findings: Findings
    language: str
    place: int
    """How many orders of the same kind stand before it."""

    @property
    def goes_to_asker(self) -> bool:
        """Whether it is a mail to the person's own address, said so or left open."""
        named = self.wording.addresses or self.wording.names
        return self.order.kind == "mail" and (self.wording.to_me or not named)

    @property
    def use_case(self) -> str:
        return use_case_of(self.order)

    @property
    def search(self) -> Call | None:
        """The latest search for a tool for this order."""
        calls = self.conversation.calls("discover_tools")
        return next((c for c in reversed(calls) if is_search_for(c, self.use_case)), None)

    @property
    def found(self) -> Found | None:
        search = self.search
        return read_found(self.conversation, search, self.order.kind) if search else None

    @property
    def connections(self) -> list[Call]:
        return self.conversation.calls("manage_connections")

    @property
    def schema_calls(self) -> list[Call]:
        return self.conversation.calls("get_schemas")

    @property
    def attempted(self) -> tuple[Call, ...]:
        """All calls of this turn, those with a lost result too."""
        return self.conversation.now.attempted

    def runs(self, slug: str) -> list[Call]:
        """The batches that ran a tool."""
        return [c for c in self.attempted if any(e["tool_slug"] == slug for e in entries_of(c))]

    def outcome(self, slug: str) -> Outcome | None:
        """How this order ended; None as long as nothing was run for it.

        A run that only met a missing account does not count, as it is made again once connected,
        nor does one that what the person wrote has overtaken, unless that takes it back.
        """
        toolkit = self.found.tool.toolkit if self.found and self.found.tool else ""
        outcomes = [
            replace(read_outcome(call, slug), account=account_told(call, toolkit))
            for call in self.runs(slug)
        ]
        again = {"unconnected"} if self._is_taken_back(outcomes) else {"unconnected", "overtaken"}
        ended = [outcome for outcome in outcomes if outcome.ending not in again]
        return ended[self.place] if self.place < len(ended) else None

    def _is_taken_back(self, outcomes: Sequence[Outcome]) -> bool:
        """Whether the person wrote to leave it, or wrote too often for another try."""
        tries = [outcome for outcome in outcomes if outcome.ending == "overtaken"]
        return len(tries) > MAX_OVERTAKEN or any(
            TAKES_BACK.search(words) for words in self.conversation.now.interjected
        )

    def own_address(self, found: Found) -> str:
        """The asker's address, where a result told it; otherwise empty."""
        search = [self.search] if self.search else []
        toolkit = found.tool.toolkit if found.tool else ""
        address = find_own_address([*search, *self.connections], toolkit)
        if address or found.profile is None:
            return address
        slug = found.profile.slug
        told = (find_profile_address(call, slug) for call in self.runs(slug) if not call.is_error)
        return next(filter(None, told), "")

    def answer(self, role: Role, **details: str) -> str | None:
        """What the person answered to a question; None where it was not asked, else maybe empty."""
        asked = question(role, self.language, **details)
        for call in reversed(self.conversation.calls("ask_person")):
            if asked in call.arguments.values():
                silent = call.is_error or UNANSWERED.search(call.result)
                return "" if silent else ANSWERED.sub("", call.result).strip()
        return None

    def today(self, found: Found) -> date:
        """The day by the search's clock, else by the instructions, else by ours."""
        if found.now:
            return datetime.fromisoformat(found.now).date()
        told = TODAY.search(self.conversation.system)
        for form in ("%d %B %Y", "%Y-%m-%d"):
            try:
                return (
                    datetime.strptime(told["day"] if told else "", form).replace(tzinfo=UTC).date()
                )
            except ValueError:
                continue
        return datetime.now(UTC).date()


def entries_of(call: Call) -> list[Json]:
    """The tools that a batch ran, with their arguments."""
    entries = [as_object(entry) for entry in as_list(call.arguments.get("tools"))]
    return [entry for entry in entries if entry.get("tool_slug")]
