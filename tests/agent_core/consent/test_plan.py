"""What a call would do is looked up at the moment of asking, and no oftener than needed."""

from dataclasses import dataclass, field
from pathlib import Path

from agent_core.consent.plan import Planner
from agent_core.consent.policy import read_policy
from agent_core.testing.accounts import FakeAccounts
from agent_core.testing.tools import tool_context
from agent_core.tools.composio_accounts import AppTool
from tests.agent_core.consent.calls import batch, entry


@dataclass
class NotedAccounts(FakeAccounts):
    """Notes which tools were looked up, and whether afresh."""

    asked: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])

    async def tool(self, slug: str, *, afresh: bool = False) -> AppTool:
        self.asked.append((slug, afresh))
        return await super().tool(slug, afresh=afresh)


async def test_what_asks_is_looked_up_afresh_and_once_however_often_it_stands_in_a_batch(
    tmp_path: Path,
) -> None:
    accounts, context = NotedAccounts(), tool_context(tmp_path)
    accounts.connect(context.asker, "gmail")
    sending = [entry("GMAIL_SEND_EMAIL", to=f"{n}@example.com") for n in range(50)]
    call = batch(*sending, entry("GMAIL_FETCH_EMAILS"))
    judged = read_policy().judge(call, is_tainted=False)
    plan = await Planner(accounts).plan(judged, call, None, context)
    assert accounts.asked == [("GMAIL_SEND_EMAIL", True), ("GMAIL_FETCH_EMAILS", False)]
    assert len(plan.sealed) == 51
    assert {each.account for each in plan.sealed} == {"ca_1"}
