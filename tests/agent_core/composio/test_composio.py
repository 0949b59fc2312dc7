"""Every person works through a session of their own, and Composio's faults stay Composio's."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_core.composio import Accounts, composio_server
from agent_core.composio.worker import origin
from agent_core.errors import ToolServerError
from agent_core.ids import UserId
from agent_core.mcp import McpHub
from agent_core.sessions import Database
from agent_core.testing.tools import ignore_progress, tool_call
from agent_core.tools import ToolContext, ToolOutput
from bot.sandbox.composio import ComposioStandIn
from tests.agent_core.composio.workers import Day, sessions_at
from tests.agent_core.mcp.conftest import QUICK, HubMaker
from tests.agent_core.mcp.http_world import Answer, Recording, Seen
from tests.agent_core.mcp.loopback import serve
from tests.tool_calls import echo_server, tool_context

OpenHub = Callable[..., Awaitable[McpHub]]

KEY = "key-of-the-project"
ANN, BEN = UserId("T1:U1"), UserId("T1:U2")
ECHO = "mcp__composio__echo"


class Composio(Recording):
    """Just enough to make sessions and serve their tools on one origin, and ways to misbehave."""

    def __init__(self) -> None:
        super().__init__(echo_server().streamable_http_app(streamable_http_path="/mcp"))
        self.rule = self._serve
        self.people: dict[str, str] = {}
        """Whose each session is."""
        self.wishes: list[dict[str, Any]] = []
        self.unknown: set[str] = set()
        """Options that it does not know."""
        self.refused: set[str] = set()
        """People who get no session."""
        self.created: dict[str, Any] | None = None
        """What is answered to whoever wishes for a session, in the place of one."""
        self.now_s = 100.0
        self.key = KEY
        self.base_url = ""

    def _serve(self, seen: Seen) -> Answer | None:
        if seen.headers.get("x-api-key") != self.key:
            return said(401, {"error": {"message": "Invalid API key"}})
        path, _, session = seen.path.partition("?")
        if path == "/api/v3.1/tool_router/session":
            return self._create(seen.body)
        if seen.method == "DELETE":
            session = path.rpartition("/")[2]
        if session not in self.people:
            return said(404, {"error": "no such session"})
        if seen.method == "DELETE":
            del self.people[session]
            return said(200, {"session_id": session, "deleted": True})
        return None

    def _create(self, wish: dict[str, Any]) -> Answer:
        self.wishes.append(wish)
        if any(name in str(wish) for name in self.unknown):
            return said(400, {"error": {"message": "Unrecognized key"}})
        if wish["user_id"] in self.refused:
            return said(400, {"error": {"message": "user id not accepted"}})
        session = f"trs_{len(self.wishes)}"
        self.people[session] = wish["user_id"]
        url = f"{self.base_url}/mcp?{session}"
        return said(201, self.created or {"session_id": session, "mcp": {"url": url}})


def said(status: int, body: dict[str, Any]) -> Answer:
    headers = {"content-type": "application/json"}
    return Answer(status=status, headers=headers, body=json.dumps(body).encode())


@pytest.fixture
async def service() -> AsyncGenerator[Composio]:
    service = Composio()
    async with serve(service) as port:
        service.base_url = f"http://127.0.0.1:{port}"
        yield service


@pytest.fixture
async def database() -> AsyncGenerator[Database]:
    database = Database("sqlite://")
    await database.open()
    yield database
    await database.close()


@pytest.fixture
async def open_hub(
    service: Composio, make_hub: HubMaker, database: Database
) -> AsyncGenerator[OpenHub]:
    async with AsyncExitStack() as stack:

        async def make(*, api_key: str = KEY, **limits: float) -> McpHub:
            sessions = await stack.enter_async_context(
                sessions_at(service.base_url, api_key, database)
            )
            server = composio_server(
                sessions,
                limits=replace(QUICK, **({"retry_after_s": 0} | limits)),
                clock=lambda: service.now_s,
            )
            return make_hub(more=[server])

        yield make


async def names(hub: McpHub, context: ToolContext) -> list[str]:
    return [spec.name for spec in await hub.specs(context)]


async def call(hub: McpHub, context: ToolContext) -> ToolOutput:
    return await hub.run(tool_call(ECHO, {"text": "heard"}), context, ignore_progress)


@pytest.mark.proves("composio.session_url", "composio.api_key", "composio.http", "composio.preload")
async def test_a_persons_tools_come_from_a_session_of_that_person(
    service: Composio, open_hub: OpenHub, context: ToolContext
) -> None:
    hub = await open_hub()
    assert await names(hub, context) == [ECHO]
    assert (await call(hub, context)).text == "heard"
    (wish,) = service.wishes
    assert wish["user_id"] == ANN
    assert wish["manage_connections"] == {
        "enable": True,
        "enable_wait_for_connections": False,
        "enable_connection_removal": False,
    }
    assert wish["workbench"]["enable_tool_execution"] is False
    assert wish["workbench"]["enable_proxy_execution"] is False
    assert wish["workbench"]["auto_offload_threshold"] == 5_000_000
    assert wish["preload"] == {"tools": ["COMPOSIO_SEARCH_WEB", "COMPOSIO_SEARCH_NEWS"]}
    assert wish["proxy_execute"] == {"enable": False}
    assert {seen.path for seen in service.seen if seen.rpc} == {"/mcp?trs_1"}


@pytest.mark.proves("composio.preload")
@pytest.mark.parametrize("unknown", ["preload", "auto_offload_threshold"])
async def test_an_account_without_these_options_gets_sessions_without_them(
    service: Composio, open_hub: OpenHub, tmp_path: Path, unknown: str
) -> None:
    service.unknown = {unknown}
    hub = await open_hub()
    for person in (ANN, BEN):
        assert await names(hub, tool_context(tmp_path, asker=person)) == [ECHO]
    *_, first, later = service.wishes
    assert len(service.wishes) == 3, "what is not granted is tried once"
    assert (first["user_id"], later["user_id"]) == (ANN, BEN)
    assert first | {"user_id": BEN} == later
    assert unknown not in str(later)
    assert later["workbench"]["enable_tool_execution"] is False


@pytest.mark.proves("composio.preload")
async def test_people_who_come_at_the_same_time_find_out_for_all_who_come_later(
    service: Composio, open_hub: OpenHub, tmp_path: Path
) -> None:
    service.unknown = {"preload"}
    hub = await open_hub()
    async with asyncio.TaskGroup() as group:
        for person in (ANN, BEN):
            group.create_task(names(hub, tool_context(tmp_path, asker=person)))
    assert await names(hub, tool_context(tmp_path, asker=UserId("T1:U9"))) == [ECHO]


@pytest.mark.proves("trace.session_info.url")
async def test_where_a_persons_tools_come_from_is_known_without_what_is_secret_in_it(
    service: Composio, database: Database
) -> None:
    async with sessions_at(service.base_url, KEY, database) as sessions:
        assert sessions.address_of(ANN) == ""
        made = await sessions.of(ANN)
        assert made.mcp_url == f"{service.base_url}/mcp?trs_1"
        assert sessions.address_of(ANN) == f"{service.base_url}/mcp"
        assert sessions.address_of(BEN) == ""


async def test_a_refusal_of_one_persons_session_costs_nobody_elses_tools(
    service: Composio, open_hub: OpenHub, tmp_path: Path
) -> None:
    refused, served = (tool_context(tmp_path, asker=asker) for asker in (ANN, BEN))
    service.refused.add(ANN)
    hub = await open_hub(retry_after_s=30)
    for _ in range(3):
        assert await names(hub, refused) == []
        assert await names(hub, served) == [ECHO]
    asked = [wish["user_id"] for wish in service.wishes]
    assert asked == [ANN, ANN, BEN], "without the wishes, too"
    assert "preload" in service.wishes[-1]


@pytest.mark.proves("composio.per_person")
async def test_two_people_never_share_a_session(
    service: Composio, open_hub: OpenHub, tmp_path: Path
) -> None:
    people = [tool_context(tmp_path, asker=asker) for asker in (ANN, BEN)]
    hub = await open_hub()
    async with asyncio.TaskGroup() as group:
        for person in [*people, *people]:
            group.create_task(call(hub, person))
    assert sorted(service.people.values()) == [ANN, BEN]
    assert len(service.wishes) == 2


@pytest.mark.proves("composio.no_shared_user")
@pytest.mark.parametrize("asker", ["", "default"])
async def test_nobodys_account_is_never_used(
    service: Composio, open_hub: OpenHub, tmp_path: Path, asker: str
) -> None:
    nobody = replace(tool_context(tmp_path), asker=UserId(asker))
    hub = await open_hub()
    assert await names(hub, nobody) == []
    assert (await call(hub, nobody)).is_error
    assert service.wishes == []


async def test_a_session_that_is_gone_is_made_anew_and_who_was_idle_keeps_his(
    service: Composio, open_hub: OpenHub, context: ToolContext
) -> None:
    hub = await open_hub(idle_after_s=0)
    for sessions in (1, 1, 2):
        if sessions == 2:
            service.people.clear()
        output = await call(hub, context)
        assert (output.text, output.is_error) == ("heard", False)
        assert len(service.wishes) == sessions


@pytest.mark.proves("composio.kept")
async def test_the_next_start_uses_a_persons_session_again_and_an_unused_one_is_deleted(
    service: Composio, database: Database
) -> None:
    day = Day()

    async def started() -> str:
        async with sessions_at(service.base_url, KEY, database, day) as sessions:
            await sessions.delete_unused()
            session = await sessions.of(ANN)
            return session.id

    ids: list[str] = []
    for days in (0, 29, 29, 31):
        day.pass_by(days)
        ids.append(await started())
    assert ids == ["trs_1", "trs_1", "trs_1", "trs_2"]
    assert [*service.people] == ["trs_2"], "the other one is deleted"


@pytest.mark.proves("composio.kept")
async def test_a_session_of_another_project_is_not_used_again(
    service: Composio, database: Database
) -> None:
    async with sessions_at(service.base_url, KEY, database) as sessions:
        await sessions.of(ANN)
    service.key = "key-of-another-project"
    async with sessions_at(service.base_url, service.key, database) as sessions:
        assert (await sessions.of(ANN)).id == "trs_2"


@pytest.mark.proves("composio.kept")
async def test_all_who_find_a_session_gone_get_one_new_one(
    service: Composio, database: Database
) -> None:
    async with sessions_at(service.base_url, KEY, database) as sessions:
        lost = await sessions.of(ANN)
        async with asyncio.TaskGroup() as group:
            new = [group.create_task(sessions.of(ANN, lost=lost)) for _ in range(3)]
        assert {each.result().id for each in new} == {"trs_2"}
    async with sessions_at(service.base_url, KEY, database) as sessions:
        assert (await sessions.of(ANN)).id == "trs_2"


@pytest.mark.proves("composio.api_key")
@pytest.mark.parametrize(
    ("key", "created", "reason"),
    [
        ("wrong", None, "Composio refused: 401 Invalid API key"),
        (KEY, {"mcp": {"url": "http://localhost:1/mcp"}}, "another origin"),
        (KEY, {"ok": True}, "no MCP address"),
    ],
)
async def test_a_wrong_key_and_an_answer_without_an_address_of_its_own_mean_no_tools(
    service: Composio,
    open_hub: OpenHub,
    context: ToolContext,
    key: str,
    created: dict[str, Any] | None,
    reason: str,
) -> None:
    service.created = created
    hub = await open_hub(api_key=key)
    assert await names(hub, context) == []
    output = await call(hub, context)
    assert output.is_error
    assert reason in output.text


async def test_a_session_that_cannot_be_made_anew_costs_the_tools_and_not_the_turn(
    service: Composio, open_hub: OpenHub, context: ToolContext
) -> None:
    hub = await open_hub(retry_after_s=30)
    await call(hub, context)
    service.people.clear()
    service.refused.add(ANN)
    for _ in range(3):
        output = await call(hub, context)
        assert output.is_error
        assert "user id not accepted" in output.text
        assert await names(hub, context) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://a.dev", "https://A.dev:443/v3/mcp", True),
        ("https://a.dev", "http://a.dev", False),
        ("https://a.dev", "https://a.dev.evil.test", False),
        ("https://a.dev", "https://a.dev@evil.test", False),
        ("http://127.0.0.1:80", "http://127.0.0.1", True),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8001", False),
        ("https://a.dev", "not a url", False),
    ],
)
def test_origins_are_compared_by_scheme_host_and_port(one: str, other: str, same: bool) -> None:
    assert (origin(one) == origin(other)) is same


@asynccontextmanager
async def accounts_at(
    base_url: str, api_key: str = "ak_x", clock: Callable[[], float] = lambda: 0.0
) -> AsyncGenerator[Accounts]:
    database = Database("sqlite://")
    await database.open()
    async with sessions_at(base_url, api_key, database) as sessions:
        yield Accounts(sessions, clock)
    await database.close()


@pytest.fixture
async def standin() -> AsyncGenerator[ComposioStandIn]:
    async with ComposioStandIn() as standin:
        yield standin


@pytest.fixture
async def accounts(standin: ComposioStandIn) -> AsyncGenerator[Accounts]:
    async with accounts_at(standin.base_url, standin.api_key) as accounts:
        yield accounts


async def test_people_list_and_remove_their_own_accounts_and_nobody_elses(
    standin: ComposioStandIn, accounts: Accounts
) -> None:
    for user, toolkit in ((ANN, "gmail"), (ANN, "github"), (BEN, "gmail")):
        standin.connect(user, toolkit, identity=f"{toolkit}@example.com")
    github, gmail = await accounts.of(ANN)
    assert [github.toolkit, gmail.identity] == ["github", "gmail@example.com"]
    [of_ben] = await accounts.of(BEN)
    assert await accounts.remove(ANN, of_ben.id) is None
    assert await accounts.active(ANN, "gmail") is not None
    assert await accounts.remove(ANN, gmail.id) == gmail
    assert await accounts.of(ANN) == [github]
    assert await accounts.active(ANN, "gmail") is None
    assert await accounts.of(BEN) == [of_ben]


async def test_a_tool_says_of_which_app_it_is_and_whether_it_needs_an_account(
    accounts: Accounts,
) -> None:
    mail = await accounts.tool("GMAIL_SEND_EMAIL")
    news = await accounts.tool("COMPOSIO_SEARCH_NEWS")
    odd = await accounts.tool("ODD_SEND_NOTE")
    assert (mail.toolkit, mail.needs_account) == ("gmail", True)
    assert news.needs_account is False
    assert (odd.toolkit, odd.needs_account, odd.schema_digest) == ("odd", None, "")
    assert len({mail.schema_digest, news.schema_digest, ""}) == 3


async def test_a_tool_that_was_defined_anew_is_seen_when_it_is_asked_for_afresh(
    service: Composio,
) -> None:
    """Between the asking for an approval and the call no process has to be restarted."""
    answers = [
        Answer(status=404),
        said(200, {"description": "Makes a note."}),
        said(200, {"description": "Mails it to everybody."}),
    ]
    service.rule = lambda _: answers.pop(0)
    async with accounts_at(service.base_url) as accounts:
        assert (await accounts.tool("NOTES_CREATE_NOTE")).needs_account is None
        first = await accounts.tool("NOTES_CREATE_NOTE")
        assert first.schema_digest
        assert await accounts.tool("NOTES_CREATE_NOTE") == first
        second = await accounts.tool("NOTES_CREATE_NOTE", afresh=True)
        assert second.schema_digest != first.schema_digest
        assert await accounts.tool("NOTES_CREATE_NOTE") == second


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_another_origin_neither_hears_a_question_nor_answers_it(
    service: Composio, status: int
) -> None:
    """It could say whose account is whose, or give a link of its own to connect one."""
    elsewhere = Composio()
    async with serve(elsewhere) as port, accounts_at(service.base_url) as accounts:
        away = {"location": f"http://127.0.0.1:{port}/away"}
        service.rule = lambda _: Answer(status=status, headers=away)
        with pytest.raises(ToolServerError):
            await accounts.active(ANN, "gmail")
        with pytest.raises(ToolServerError):
            await accounts.tool("GMAIL_SEND_EMAIL")
        with pytest.raises(ToolServerError):
            await accounts.link(ANN, "gmail")
    assert elsewhere.seen == []


async def test_whose_account_it_is_is_asked_again_where_it_could_not_be_told(
    service: Composio,
) -> None:
    """The people who approve would read a code in the place of an address for good."""
    account = {"id": "ca_1", "status": "ACTIVE", "user_id": ANN, "toolkit": {"slug": "gmail"}}
    told = {"gmail": {"current_user_info": {"email": "ann@example.com"}}}
    is_down = [True]

    def answer(seen: Seen) -> Answer:
        if "/connected_accounts?" in seen.path:
            return said(200, {"items": [account]})
        if "/execute_meta" in seen.path:
            return said(500 if is_down[0] else 200, {"data": {"results": told}})
        return said(200, {"session_id": "trs_1", "mcp": {"url": service.base_url}})

    service.rule = answer
    async with accounts_at(service.base_url) as accounts:
        first = await accounts.active(ANN, "gmail")
        is_down[0] = False
        second = await accounts.active(ANN, "gmail", afresh=True)
    assert [each.identity for each in (first, second) if each] == ["ca_1", "ann@example.com"]


async def test_a_refusal_does_not_repeat_the_key(service: Composio) -> None:
    service.rule = lambda _: said(401, {"error": {"message": "Invalid API key: ak_x"}})
    async with accounts_at(service.base_url) as accounts:
        with pytest.raises(ToolServerError) as caught:
            await accounts.active(ANN, "gmail")
    assert "Invalid API key" in str(caught.value)
    assert "ak_x" not in str(caught.value)


async def test_a_service_that_cannot_be_asked_is_no_service_without_accounts() -> None:
    async with accounts_at("http://127.0.0.1:9") as accounts:
        with pytest.raises(ToolServerError):
            await accounts.active(ANN, "gmail")
        with pytest.raises(ToolServerError):
            await accounts.tool("GMAIL_SEND_EMAIL")
