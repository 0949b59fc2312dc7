"""What a person's hands find in Slack and behind a link: buttons by name, a form to agree to."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.presses import NoButtonError, agree, find_buttons, find_own_links, list_buttons
from bot.sandbox.slack import SlackStandIn

FORM = (
    '<form method="post" action="decide"><input type="hidden" name="token" value="t1">'
    '<input name="identity" value="ann@example.com">'
    '<button name="decision" value="deny">Deny</button>'
    '<button name="decision" value="allow">Allow</button></form>'
)


def button(action_id: str, label: str, **more: str) -> dict[str, Any]:
    text = {"type": "plain_text", "text": label}
    return {"type": "button", "action_id": action_id, "text": text, **more}


async def test_buttons_are_found_by_the_end_of_their_id_or_by_their_label() -> None:
    """Also of posts that this person alone sees; a person who does not see a post has none."""
    async with SlackStandIn() as slack, aiohttp.ClientSession() as http:
        client: Any = AsyncWebClient(slack.bot_token, base_url=slack.api_url, session=http)
        general = slack.channels["general"]
        actions = [button("digest.confirm", "Agree"), button("digest.drop", "No")]
        blocks = [{"type": "actions", "elements": actions}]
        await client.chat_postMessage(channel=general, text="Shall I?", blocks=blocks)
        link = button("consent.go", "Connect", url="http://connect.test/link/lk_1")
        await client.chat_postEphemeral(
            channel=general,
            user=slack.people["ann"],
            text="Connect",
            blocks=[{"type": "actions", "elements": [link]}],
        )
        anns, bens = find_buttons(slack, "ann"), find_buttons(slack, "ben")
        assert [each.label for each in anns if each.is_called("CONFIRM")] == ["Agree"]
        assert [each.action_id for each in anns if each.is_called("no")] == ["digest.drop"]
        assert "'Agree' (digest.confirm), 'No' (digest.drop)" in list_buttons(bens)
        assert find_own_links(slack, "ann") == ["http://connect.test/link/lk_1"]
        assert find_own_links(slack, "ben") == []
    assert list_buttons([]) == "There is no button at all."


@asynccontextmanager
async def served(page: str, status: int = 200) -> AsyncGenerator[tuple[str, list[dict[str, str]]]]:
    """A site with one page; what is posted to it is kept."""
    posted: list[dict[str, str]] = []

    async def show(_request: web.Request) -> web.Response:
        return web.Response(text=page, content_type="text/html", status=status)

    async def take(request: web.Request) -> web.Response:
        fields = await request.post()
        posted.append({"path": request.path, **{k: str(v) for k, v in fields.items()}})
        return web.Response(text="done")

    app = web.Application()
    app.add_routes([web.get("/link/lk_1", show), web.post("/{path:.*}", take)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/link/lk_1", posted
    finally:
        await runner.cleanup()


async def test_a_form_goes_where_it_says_with_its_fields_and_the_pressed_button() -> None:
    async with served(FORM) as (url, posted):
        await agree(url)
    sent = {"token": "t1", "identity": "ann@example.com", "decision": "allow"}
    assert posted == [{"path": "/link/decide", **sent}]


@pytest.mark.parametrize(("page", "status"), [("<p>Too late.</p>", 200), (FORM, 410)])
async def test_a_page_that_takes_no_agreement_is_told(page: str, status: int) -> None:
    async with served(page, status) as (url, posted):
        with pytest.raises(NoButtonError):
            await agree(url)
    assert posted == []
