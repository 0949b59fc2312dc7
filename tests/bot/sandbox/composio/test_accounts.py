"""Links, the page behind them, and the accounts that come of them."""

from datetime import timedelta
from typing import cast

import httpx2
import pytest
from composio_client import AsyncComposio, NotFoundError

from bot.sandbox.composio import ComposioStandIn, Session
from bot.sandbox.composio.accounts import make_identity
from tests.bot.sandbox.composio.world import Clock, run_batch, run_meta

PROFILE = ("GMAIL_GET_PROFILE", dict[str, object]())


async def ask_for_link(api: AsyncComposio, session: Session, toolkit: str = "gmail") -> str:
    made = await api.tool_router.session.link(session.id, toolkit=toolkit)
    return made.redirect_url


async def test_a_link_is_followed_and_the_account_is_the_persons_own(
    standin: ComposioStandIn, api: AsyncComposio, session: Session, browser: httpx2.AsyncClient
) -> None:
    made = await api.tool_router.session.link(session.id, toolkit="gmail")
    assert made.redirect_url == f"{standin.base_url}/link/{made.link_token}"
    waiting = await api.connected_accounts.retrieve(made.connected_account_id)
    assert waiting.status == "INITIATED"
    shown = (await browser.get(made.redirect_url)).text
    assert "Connect Gmail for T1:U1" in shown
    assert shown.count("<button") == 2
    answer = await browser.post(made.redirect_url, data={"decision": "allow"})
    assert "u1.t1@example.com" in answer.text
    done = await api.connected_accounts.retrieve(made.connected_account_id)
    assert (done.status, done.user_id, done.toolkit.slug) == ("ACTIVE", "T1:U1", "gmail")
    [profile] = await run_batch(api, session, PROFILE)
    assert profile["response"]["data"]["emailAddress"] == "u1.t1@example.com"


@pytest.mark.parametrize("decision", ["deny", "allow"])
async def test_a_link_works_once(
    api: AsyncComposio, session: Session, browser: httpx2.AsyncClient, decision: str
) -> None:
    link = await ask_for_link(api, session)
    await browser.post(link, data={"decision": decision})
    for answer in (await browser.get(link), await browser.post(link, data={"decision": "allow"})):
        assert answer.status_code == 410
    [account] = (await api.connected_accounts.list(user_ids=["T1:U1"])).items
    assert account.status == ("ACTIVE" if decision == "allow" else "FAILED")


async def test_a_link_lives_ten_minutes(
    api: AsyncComposio, session: Session, browser: httpx2.AsyncClient, clock: Clock
) -> None:
    link = await ask_for_link(api, session)
    clock.now += timedelta(minutes=9, seconds=59)
    assert (await browser.get(link)).status_code == 200
    clock.now += timedelta(seconds=1)
    assert (await browser.post(link, data={"decision": "allow"})).status_code == 410
    [account] = (await api.connected_accounts.list(user_ids=["T1:U1"])).items
    assert account.status == "EXPIRED"


async def test_a_link_that_nobody_gave_out_is_not_found(browser: httpx2.AsyncClient) -> None:
    assert (await browser.get("/link/lk_0")).status_code == 404


async def test_a_decision_that_is_none_leaves_the_link_open(
    api: AsyncComposio, session: Session, browser: httpx2.AsyncClient
) -> None:
    link = await ask_for_link(api, session)
    assert (await browser.post(link, data={"decision": "perhaps"})).status_code == 400
    assert (await browser.get(link)).status_code == 200


async def test_what_a_person_types_is_shown_as_text(
    api: AsyncComposio, session: Session, browser: httpx2.AsyncClient
) -> None:
    link = await ask_for_link(api, session)
    form = {"decision": "allow", "identity": "<b>ada</b>@example.com"}
    assert "<b>" not in (await browser.post(link, data=form)).text


async def test_the_callback_is_told_how_it_ended(
    api: AsyncComposio, session: Session, browser: httpx2.AsyncClient
) -> None:
    made = await api.tool_router.session.link(
        session.id, toolkit="gmail", callback_url="http://bot.test/done?x=1"
    )
    form = {"decision": "deny"}
    answer = await browser.post(made.redirect_url, data=form)
    assert answer.status_code == 303
    assert answer.headers["location"] == (
        f"http://bot.test/done?x=1&status=failed&connected_account_id={made.connected_account_id}"
    )


async def test_an_account_is_no_use_to_anybody_else(
    standin: ComposioStandIn, api: AsyncComposio, session: Session
) -> None:
    for other in ("T1:U2", "T2:U1"):
        standin.connect(other, "gmail")
    [refused] = await run_batch(api, session, PROFILE)
    assert refused["error"] == "No active connected account found for toolkit: gmail"
    listed = await api.tool_router.session.toolkits(session.id, toolkits=["gmail"])
    assert [item.connected_account for item in listed.items] == [None]
    assert (await api.connected_accounts.list(user_ids=["T1:U1"])).items == []
    assert standin.executions == []


async def test_accounts_are_listed_by_person_app_and_status(
    standin: ComposioStandIn, api: AsyncComposio, session: Session
) -> None:
    mail = standin.connect("T1:U1", "gmail")
    standin.connect("T1:U1", "github")
    standin.connect("T1:U2", "gmail")
    await ask_for_link(api, session)
    found = await api.connected_accounts.list(
        user_ids=["T1:U1"], toolkit_slugs=["gmail"], statuses=["ACTIVE"]
    )
    assert [account.id for account in found.items] == [mail.id]
    connected = await api.tool_router.session.toolkits(session.id, is_connected=True)
    assert {item.slug for item in connected.items} == {"gmail", "github"}


@pytest.mark.parametrize("how", ["expired", "disabled", "deleted"])
async def test_an_account_that_is_gone_cannot_be_used(
    standin: ComposioStandIn, api: AsyncComposio, session: Session, how: str
) -> None:
    account = standin.connect("T1:U1", "gmail")
    if how == "expired":
        standin.accounts.expire("T1:U1", "gmail")
    elif how == "disabled":
        await api.connected_accounts.update_status(account.id, enabled=False)
        assert (await api.connected_accounts.retrieve(account.id)).status == "INACTIVE"
    else:
        await api.connected_accounts.delete(account.id)
        with pytest.raises(NotFoundError):
            await api.connected_accounts.retrieve(account.id)
    [refused] = await run_batch(api, session, PROFILE)
    assert refused["error"] == "No active connected account found for toolkit: gmail"


async def test_managing_connections_tells_what_is_there_and_begins_what_is_not(
    standin: ComposioStandIn, api: AsyncComposio, session: Session
) -> None:
    standin.connect("T1:U1", "slack", identity="ada@example.com")
    asked = {"toolkits": ["gmail", "slack", "jira"]}
    done = await run_meta(api, session, "COMPOSIO_MANAGE_CONNECTIONS", asked)
    results = cast("dict[str, dict[str, object]]", done.data["results"])
    assert [result["status"] for result in results.values()] == ["initiated", "active", "failed"]
    assert str(results["gmail"]["redirect_url"]).startswith(f"{standin.base_url}/link/lk_")
    assert results["slack"]["current_user_info"] == {"email": "ada@example.com", "name": "ada"}
    assert "Jira is not part of this sandbox" in str(results["jira"]["error_message"])
    assert standin.follow_link(str(results["gmail"]["redirect_url"])).status == "ACTIVE"
    again = await run_meta(api, session, "COMPOSIO_MANAGE_CONNECTIONS", {"toolkits": ["gmail"]})
    assert "redirect_url" not in str(again.data)


async def test_renewing_replaces_a_connection_that_works(
    standin: ComposioStandIn, api: AsyncComposio, session: Session
) -> None:
    account = standin.connect("T1:U1", "gmail")
    asked = {"toolkits": ["gmail"], "reinitiate_all": True}
    done = await run_meta(api, session, "COMPOSIO_MANAGE_CONNECTIONS", asked)
    assert "was_reinitiated': True" in str(done.data)
    assert (await api.connected_accounts.retrieve(account.id)).status == "INACTIVE"


async def test_statuses_come_in_either_case(
    standin: ComposioStandIn, api: AsyncComposio, session: Session
) -> None:
    account = standin.connect("T1:U1", "gmail")
    standin.faults.upper_case_statuses = standin.faults.lower_case_statuses = True
    done = await run_meta(api, session, "COMPOSIO_MANAGE_CONNECTIONS", {"toolkits": ["gmail"]})
    assert "'status': 'ACTIVE'" in str(done.data)
    assert str((await api.connected_accounts.retrieve(account.id)).status) == "active"


@pytest.mark.parametrize(
    ("user_id", "name", "identity"),
    [
        ("T1:U1", None, "u1.t1@example.com"),
        ("T1:U1", "Ada", "ada@example.com"),
        ("T1:U1", "Ada Lovelace", "ada.lovelace@example.com"),
        ("T1:U1", "ada@home.test", "ada@home.test"),
        ("U9", None, "u9@example.com"),
        ("", "<>", "someone@example.com"),
    ],
)
def test_an_identity_is_made_from_the_name_or_the_user_id(
    user_id: str, name: str | None, identity: str
) -> None:
    assert make_identity(user_id, name) == identity


async def test_the_most_recent_of_several_accounts_is_used_unless_one_is_named(
    standin: ComposioStandIn, api: AsyncComposio, session: Session
) -> None:
    first = standin.connect("T1:U1", "gmail", identity="old@example.com")
    standin.connect("T1:U1", "gmail", identity="new@example.com")
    tools = [
        {"tool_slug": "GMAIL_GET_PROFILE"},
        {"tool_slug": "GMAIL_GET_PROFILE", "account": first.id},
    ]
    body = {"tools": tools, "sync_response_to_workbench": False}
    await run_meta(api, session, "COMPOSIO_MULTI_EXECUTE_TOOL", body)
    used = [execution.identity for execution in standin.executions]
    assert used == ["new@example.com", "old@example.com"]


async def test_a_session_may_ask_for_an_explicit_choice(
    standin: ComposioStandIn, api: AsyncComposio
) -> None:
    for name in ("old@example.com", "new@example.com"):
        standin.connect("T1:U1", "gmail", identity=name)
    made = await api.tool_router.session.create(
        user_id="T1:U1", multi_account={"enable": True, "require_explicit_selection": True}
    )
    [refused] = await run_batch(api, standin.sessions[made.session_id], PROFILE)
    assert refused["error"].startswith("Multiple gmail accounts connected.")
