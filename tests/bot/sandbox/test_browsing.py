"""A link is opened and agreed to as a browser would: the page's form decides what is sent."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from bot.sandbox.browsing import NoFormError, agree

FORM = (
    '<form method="post" action="decide"><input type="hidden" name="token" value="t1">'
    '<input name="identity" value="ann@example.com">'
    '<button name="decision" value="deny">Deny</button>'
    '<button name="decision" value="allow">Allow</button></form>'
)


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


async def test_the_form_goes_where_it_says_with_its_fields_and_the_pressed_button() -> None:
    async with served(FORM) as (url, posted):
        await agree(url)
    sent = {"token": "t1", "identity": "ann@example.com", "decision": "allow"}
    assert posted == [{"path": "/link/decide", **sent}]


async def test_a_form_without_an_address_goes_back_to_its_page() -> None:
    async with served(FORM.replace(' action="decide"', "")) as (url, posted):
        await agree(url, "deny")
    assert (posted[0]["path"], posted[0]["decision"]) == ("/link/lk_1", "deny")


@pytest.mark.parametrize(("page", "status"), [("<p>Too late.</p>", 200), (FORM, 410)])
async def test_a_page_that_takes_no_agreement_is_told(page: str, status: int) -> None:
    async with served(page, status) as (url, posted):
        with pytest.raises(NoFormError):
            await agree(url)
    assert posted == []
