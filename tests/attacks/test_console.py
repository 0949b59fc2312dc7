"""Attacks on the live view: who has no right to it gets nothing of it, whatever they send."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest

from agent_core.ids import SessionId
from agent_core.masking import masked_post
from agent_core.messages import JsonObject
from agent_core.testing.models import ScriptedModel, call, calls_reply
from agent_core.testing.tools import FakeToolset
from agent_core.tools import Artifact, OnProgress, ToolContext, ToolOutput
from bot.console.access import HOME, ThreadAccess
from bot.console.connections import FIRST_REQUEST_S, Connections
from bot.ingress import Rules
from bot.threads import user_id
from tests.attacks.planted import ALL, PLANTED, leaks
from tests.bot.console.world import Browser, ConsoleWorld, browser, console_world, visitor

PAGES = ("/", "/s/{session}", "/ws?session={session}", "/ws", "/artifacts/{session}/a.html")
OF_THE_SESSION = ("/s/{session}", "/ws?session={session}", "/artifacts/{session}/a.html")
REBOUND = ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.7", "", "[")
FILES = {
    "work_products/report.html": ("<script>alert(1)</script>", "text/html"),
    "work_products/data.json": ("{}", "application/json"),
    "work_products/chart.svg": ("<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[ConsoleWorld]:
    async with console_world(tmp_path, ScriptedModel(["Done."])) as world:
        yield world


async def answers(
    browsing: Browser, session: str, headers: Mapping[str, str], pages: tuple[str, ...] = PAGES
) -> set[int]:
    """The statuses that the pages are answered with."""
    found = [await browsing.get(page.format(session=session), **headers) for page in pages]
    return {status for status, _, _ in found}


def changed(token: str) -> list[str]:
    """Forgeries of a link's or a cookie's token."""
    body, _, mac = token.partition(".")
    forged = [f"{body}.", f"{body}.{mac[:-2]}AA", f"e30.{mac}", f"x{body}.{mac}", f"{body}x.{mac}"]
    return [*forged, "", "x", ".", "..", "e30.e30", body, "x" * 5_000]


GOES_ON = "data-near"
"""What the page of a link has if it does not wait for a press."""


def another(world: ConsoleWorld) -> SessionId:
    """Another thread of the same channel, which the same people may see."""
    return SessionId(f"{world.slack.team_id}:{world.thread.channel}:1.000001")


@pytest.mark.proves("console.private")
async def test_without_a_cookie_nothing_is_shown_or_done(world: ConsoleWorld) -> None:
    async with browser(world.address) as nobody, visitor(world) as ann:
        assert await answers(nobody, world.session, {}) == {401}
        name, value = ann.cookie
        for each in (*changed(value), world.link().partition("pass=")[2]):
            assert await answers(nobody, world.session, {"Cookie": f"{name}={each}"}) == {401}
        status, text, headers = await nobody.get("/", **{"Accept-Language": "de-DE,de;q=0.9"})
        assert (status, "Live-Ansicht öffnen" in text) == (401, True)
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


@pytest.mark.proves("console.link")
async def test_a_link_works_once_in_time_and_unchanged(world: ConsoleWorld) -> None:
    used, late = world.link(), world.link()
    async with browser(world.address) as ann, browser(world.address) as thief:
        assert (await ann.ask("HEAD", used.removeprefix(world.address), {}))[0] == 405
        async with asyncio.TaskGroup() as group:
            entering = [group.create_task(each.enter(used)) for each in (ann, thief)]
        assert sorted(task.result() for task in entering) == [200, 401]
        address, _, token = world.link().partition("pass=")
        for each in changed(token):
            assert await thief.enter(f"{address}pass={each}") == 401
        world.later(timedelta(minutes=10))
        assert await thief.enter(late) == 401


@pytest.mark.proves("console.csrf")
async def test_a_link_makes_nobody_somebody_else_and_waits_for_who_wants_it(
    world: ConsoleWorld,
) -> None:
    path = world.link("ben").removeprefix(world.address)
    async with visitor(world) as ann:
        own = ann.cookie
        sent_here = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}
        for _ in range(2):
            status, text, headers = await ann.get(path, **sent_here)
            assert (status, "Open as Ben Nevis" in text, GOES_ON in text) == (200, True, False)
            assert headers["Referrer-Policy"] == "same-origin"
        for foreign in ({"Origin": "https://evil.example"}, {"Origin": "null"}, sent_here, {}):
            assert (await ann.ask("POST", path, foreign))[0] == 403
        assert ann.cookie == own
        assert GOES_ON not in (await ann.get(path, **{"Sec-Fetch-Site": "none"}))[1]
        anns = world.link().removeprefix(world.address)
        assert GOES_ON in (await ann.get(anns, **sent_here))[1]
    async with browser(world.address) as ben:
        assert GOES_ON not in (await ben.get(path, **sent_here))[1]
        assert GOES_ON in (await ben.get(path, **{"Sec-Fetch-Site": "none"}))[1]
        world.ticking.advance(61.0)
        world.slack.fail("conversations.members", error="token_revoked", times=1)
        assert await ben.enter(path) == 503
        assert await ben.enter(path) == 200
        assert await ben.enter(path) == 401


@pytest.mark.proves("console.link")
async def test_what_opens_one_thread_opens_no_other_and_ends_in_time(world: ConsoleWorld) -> None:
    async with visitor(world) as ann:
        assert await answers(ann, another(world), {}, OF_THE_SESSION) == {403}
        name, value = ann.cookie
        kept = {"Cookie": f"{name}={value}"}
        async with browser(world.address) as copied:
            assert (await copied.get(f"/s/{world.session}", **kept))[0] == 200
            world.later(timedelta(hours=12))
            assert await answers(copied, world.session, kept) == {401}


@pytest.mark.proves("console.link")
async def test_nobody_is_sent_to_their_own_machine_with_a_link(tmp_path: Path) -> None:
    async with console_world(tmp_path, ScriptedModel([]), public_url="") as world:
        person = user_id(world.slack.team_id, world.slack.user_id("ann"))
        assert (world.console.url, world.console.link(person, world.session)) == (None, None)
        async with browser(world.address) as anybody:
            assert (await anybody.get("/healthz"))[0] == 200


@pytest.mark.proves("console.cookie")
async def test_the_cookie_stays_here_and_no_page_may_be_framed(world: ConsoleWorld) -> None:
    async with browser(world.address) as ann:
        path = world.link().removeprefix(world.address)
        status, _, headers = await ann.ask("POST", path, {"Origin": world.address})
        flags = headers["Set-Cookie"].split("; ")[1:]
        assert status == 303
        assert {"HttpOnly", "Path=/", "SameSite=Strict"} <= set(flags)
        for path in ("/", f"/s/{world.session}", "/static/index.html", "/nothing"):
            _, _, headers = await ann.get(path)
            policy = headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Referrer-Policy"] == "no-referrer"
            assert headers["Cache-Control"] == "no-store"


@pytest.mark.proves("console.host")
@pytest.mark.parametrize("host", REBOUND)
async def test_another_name_for_this_machine_is_not_answered(
    world: ConsoleWorld, host: str
) -> None:
    port = world.console.port
    async with visitor(world) as ann:
        for name in (host, f"{host}:{port}"):
            assert await answers(ann, world.session, {"Host": name}) == {403}
        assert (await ann.get(f"/s/{world.session}", Host=f"LOCALHOST:{port}"))[0] == 200
        for elsewhere in ({"Host": "pod.cluster"}, {"X-Forwarded-For": "203.0.113.7"}):
            assert (await ann.get("/healthz", **elsewhere))[:2] == (200, '{"ok": true}')
        assert "uptime_s" in (await ann.get("/healthz"))[1]


@pytest.mark.proves("console.bare")
@pytest.mark.parametrize("request_line", ["GET /healthz HTTP/1.1", "GET /no HTTP/1.1", "\x16\x03"])
async def test_no_answer_names_the_software(world: ConsoleWorld, request_line: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", world.console.port)
    writer.write(f"{request_line}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    answer = (await reader.read()).lower()
    writer.close()
    assert answer.startswith(b"http/1.")
    assert b"server:" not in answer.replace(b"server: \r\n", b"")


@pytest.mark.proves("live.leave")
async def test_who_logs_out_is_out_everywhere_and_comes_back_with_a_new_link(
    world: ConsoleWorld,
) -> None:
    async with (
        visitor(world) as ann,
        browser(world.address) as copied,
        visitor(world, "ben") as ben,
        ann.live(world.session) as page,
    ):
        await page.until_a("ready")
        name, value = ann.cookie
        kept = {"Cookie": f"{name}={value}"}
        assert (await ann.ask("POST", "/leave", {"Origin": "https://evil.example"}))[0] == 403
        assert (await copied.get(f"/s/{world.session}", **kept))[0] == 200
        assert (await ann.ask("POST", "/leave", {"Origin": world.address}))[0] == 204
        assert await answers(copied, world.session, kept) == {401}
        assert await page.closed()
        assert (await ben.get(f"/s/{world.session}"))[0] == 200
        assert await ann.enter(world.link()) == 200


@pytest.mark.proves("console.origin")
async def test_other_sites_open_no_socket_and_embed_nothing(world: ConsoleWorld) -> None:
    port = world.console.port or 0
    own = f"http://127.0.0.1:{port}"
    neighbour = f"http://127.0.0.1:{port + 1}"
    foreign = ("http://evil.example", "null", neighbour, f"{own}.evil", "file://")
    async with visitor(world) as ann:
        for origin in foreign:
            assert await answers(ann, world.session, {"Origin": origin}) == {403}
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                async with ann.live(world.session, Origin=origin):
                    pass
            assert refused.value.status == 403
        for site in ("cross-site", "same-site"):
            embedded = {"Sec-Fetch-Site": site, "Sec-Fetch-Dest": "iframe"}
            assert await answers(ann, world.session, embedded) == {403}
        opened = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}
        assert (await ann.get(f"/s/{world.session}", **opened))[0] == 200
        async with ann.live(world.session, Origin=own) as page:
            await page.until_a("ready")


@pytest.mark.proves("console.members")
async def test_who_is_taken_out_of_the_channel_is_out_within_seconds(tmp_path: Path) -> None:
    async with (
        console_world(tmp_path, ScriptedModel([]), channel="private") as world,
        visitor(world, "ben") as ben,
        ben.live(world.session) as page,
    ):
        await page.until_a("ready")
        await world.slack.remove_from_channel("private", "ben")
        world.ticking.advance(5.0)
        assert await page.closed() == aiohttp.WSCloseCode.POLICY_VIOLATION
        assert await answers(ben, world.session, {}, OF_THE_SESSION) == {403}
        assert await ben.enter(world.link("ben")) == 403


@pytest.mark.proves("console.joined")
async def test_an_old_request_id_opens_no_session_that_its_person_may_not_see_any_more(
    tmp_path: Path,
) -> None:
    model = ScriptedModel(["TOPSECRET-A", "Hello Ben."])
    asked = {"prompt": "Tell it", "requestId": "b" * 16}
    async with (
        console_world(tmp_path, model, channel="private") as world,
        visitor(world, "ben") as ben,
    ):
        async with ben.live(world.session) as page:
            await page.say("start-agent", **asked)
            await page.until_a("agent-completed")
        await world.slack.remove_from_channel("private", "ben")
        world.ticking.advance(5.0)
        assert await ben.enter(world.link("ben", HOME)) == 200
        async with ben.live() as page:
            await page.say("start-agent", **asked)
            await page.until(lambda told: told["type"] == "ready" and told["session"])
            await page.until_a("agent-completed")
            assert world.session not in str(page.told)
            assert "TOPSECRET-A" not in str(page.told)
            assert "Hello Ben." in str(page.told)


@pytest.mark.proves("console.members")
async def test_who_was_taken_out_while_nobody_watched_gets_nothing(tmp_path: Path) -> None:
    async with (
        console_world(tmp_path, ScriptedModel([]), channel="private") as world,
        visitor(world, "ben") as ben,
    ):
        await world.slack.remove_from_channel("private", "ben")
        world.ticking.advance(5.0)
        assert await answers(ben, world.session, {}, OF_THE_SESSION) == {403}


@pytest.mark.proves("console.link")
async def test_who_watches_is_sent_away_when_their_cookie_is_over(world: ConsoleWorld) -> None:
    async with visitor(world) as ann, ann.live(world.session) as page:
        await page.until_a("ready")
        world.later(timedelta(hours=12))
        world.ticking.advance(2.0)
        assert await page.closed() == aiohttp.WSCloseCode.TRY_AGAIN_LATER
        assert await answers(ann, world.session, {}) == {401}


@pytest.mark.proves("console.members")
async def test_many_who_watch_stay_for_as_long_as_they_may(world: ConsoleWorld) -> None:
    users = world.slack.state.users
    many = [replace(users[world.slack.user_id("ann")], id=f"UMANY{n}") for n in range(200)]
    users.update({each.id: each for each in many})
    access = ThreadAccess(world.api, Rules(identity=await world.api.identify()))
    watching = [(user_id(world.slack.team_id, each.id), world.session) for each in many]
    async with asyncio.TaskGroup() as group:
        for pair in watching:
            group.create_task(access.level(*pair))
    for _ in range(100):
        world.ticking.advance(1.5)
        await access.renew(watching)
        assert {access.level_now(*pair) for pair in watching} == {"see"}


@pytest.mark.proves("console.members")
async def test_people_see_what_they_see_in_slack_and_act_where_they_may_write(
    tmp_path: Path,
) -> None:
    levels = {
        "general": {"ann": True, "guest": None, "stranger": None},
        "shared": {"ann": True, "stranger": None, "guest": None},
        "private": {"ann": True, "guest": None, "nameless": None},
        "news": {"ann": True, "nameless": False},
        "archived": {"ann": False},
        "hidden": {"ann": None},
    }
    async with console_world(tmp_path, ScriptedModel([])) as world:
        for channel, people in levels.items():
            place = world.slack.channel_id(channel)
            session = SessionId(f"{world.slack.team_id}:{place}:1.000001")
            for person, may_act in people.items():
                async with browser(world.address) as browsing:
                    status = await browsing.enter(world.link(person, session))
                    assert status == (403 if may_act is None else 200), (channel, person)
                    if may_act is None:
                        continue
                    async with browsing.live(session) as page:
                        ready = await page.until_a("ready")
                        assert ready["canIntervene"] is may_act, (channel, person)
                        if not may_act:
                            await page.say("start-agent", prompt="Delete everything")
                            assert (await page.until_a("error"))["error"]
        assert [call for call in world.slack.calls if call.method == "chat.postMessage"] == []


@pytest.mark.proves("console.members")
async def test_where_slack_cannot_be_asked_nobody_is_let_in(world: ConsoleWorld) -> None:
    async with visitor(world, "ben") as ben, ben.live(world.session) as page:
        await page.until_a("ready")
        world.slack.fail("*", error="token_revoked", times=1_000)
        async with browser(world.address) as ann:
            assert await ann.enter(world.link("ann")) == 503
        world.ticking.advance(61.0)
        assert await page.closed() == aiohttp.WSCloseCode.TRY_AGAIN_LATER
        assert await answers(ben, world.session, {}, OF_THE_SESSION) == {503}
        world.slack.heal()
        async with ben.live(world.session) as page:
            await page.until_a("ready")


@pytest.mark.proves("masking.live_view")
async def test_what_is_masked_in_posts_is_masked_in_every_frame_of_the_live_view(
    tmp_path: Path,
) -> None:
    secrets = ALL
    ask = {"question": f"Is it {secrets}?", "options": [f"Yes: {PLANTED['anthropic']}", "No"]}
    model = ScriptedModel(
        [
            calls_reply(call("ask_user", ask, id="ask"), text=f"I found {secrets} there."),
            f"These are all: {secrets}",
        ]
    )
    async with (
        console_world(tmp_path, model) as world,
        visitor(world) as ann,
        ann.live(world.session) as page,
    ):
        await page.say("start-agent", prompt=f"What is {secrets} for?")
        query = await page.until_a("user-query")
        await page.say("user-response", agentId=query["agentId"], response="2")
        await page.until_a("agent-completed")
        await page.say("get-agent-tree", requestId="all")
        await page.until(lambda told: told.get("requestId") == "all")
        assert leaks(page.told) == []
        assert leaks(world.slack.state.posts) == []
        assert leaks([call.args for call in world.slack.calls]) == []
        assert leaks((await ann.get("/metrics"))[1]) == []
        deltas = "".join(each["delta"] for each in page.told if each["type"] == "text-delta")
        assert deltas.endswith(f"These are all: {masked_post(secrets)}")


@pytest.mark.proves("console.files")
async def test_only_announced_files_are_served_and_none_of_them_runs(tmp_path: Path) -> None:
    async def write(_: JsonObject, context: ToolContext, __: OnProgress) -> ToolOutput:
        for path, (text, _kind) in FILES.items():
            file = context.workspace / path
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        (context.workspace / "secret.html").write_text("secret", encoding="utf-8")
        (context.workspace / "out.html").symlink_to("/etc/hostname")
        told = {path: kind for path, (_, kind) in FILES.items()}
        told |= {"out.html": "text/html", "../outside.html": "text/html"}
        saved = (Artifact(path=each, title="x", mimetype=told[each], size_bytes=1) for each in told)
        return ToolOutput(text="written", artifacts=tuple(saved))

    (tmp_path / "outside.html").write_text("outside", encoding="utf-8")
    model = ScriptedModel([call("write"), "Done."])
    async with (
        console_world(tmp_path, model, tools=FakeToolset({"write": write})) as world,
        visitor(world) as ann,
        ann.live(world.session) as page,
    ):
        await world.say("Write files")
        await page.until_a("agent-completed")
        base = f"/artifacts/{world.session}"
        for path, (text, _kind) in FILES.items():
            status, content, headers = await ann.get(f"{base}/{path}")
            assert (status, content) == (200, text)
            assert headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'; ")
            assert "script-src" not in headers["Content-Security-Policy"]
            is_shown = headers["Content-Disposition"].startswith("inline")
            assert is_shown == (not path.endswith(".json"))
        for path in (
            "secret.html", "out.html", "../outside.html", "..%2foutside.html", "%2fetc%2fpasswd",
            "work_products/../secret.html", "work_products%00", "run.log", "work_products",
        ):  # fmt: skip
            assert (await ann.get(f"{base}/{path}"))[0] == 404, path


@asynccontextmanager
async def half_open(world: ConsoleWorld, number: int) -> AsyncGenerator[list[asyncio.StreamReader]]:
    """Connections with half a header line."""
    async with AsyncExitStack() as stack:
        readers: list[asyncio.StreamReader] = []
        for _ in range(number):
            reader, writer = await asyncio.open_connection("127.0.0.1", world.console.port)
            stack.callback(writer.close)
            writer.write(b"GET / HT")
            readers.append(reader)
        yield readers


async def is_closed(reader: asyncio.StreamReader) -> bool:
    """Wait until the other side has closed it."""
    try:
        return await asyncio.wait_for(reader.read(), 30) == b""
    except ConnectionResetError:
        return True


@pytest.mark.proves("console.connections")
async def test_connections_that_never_ask_are_closed_and_viewers_stay(world: ConsoleWorld) -> None:
    async with (
        visitor(world) as ann,
        ann.live(world.session) as page,
        half_open(world, 3) as silent,
    ):
        await page.until_a("ready")
        world.ticking.advance(FIRST_REQUEST_S + 1)
        assert [await is_closed(reader) for reader in silent] == [True] * 3
        assert (await ann.get("/healthz"))[0] == 200
        await page.say("get-agent-tree", requestId="still here")
        await page.until(lambda told: told.get("requestId") == "still here")


@pytest.mark.proves("console.connections")
async def test_more_connections_than_one_address_may_have_push_out_their_oldest_alone(
    world: ConsoleWorld,
) -> None:
    bound = Connections(world.api.clock).max_of_address
    async with (
        visitor(world) as ann,
        ann.live(world.session) as page,
        half_open(world, bound + 5) as silent,
    ):
        await page.until_a("ready")
        assert [await is_closed(reader) for reader in silent[:5]] == [True] * 5
        assert (await ann.get("/healthz"))[0] == 200
        await page.say("get-agent-tree", requestId="still here")
        await page.until(lambda told: told.get("requestId") == "still here")
