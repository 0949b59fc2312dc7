"""What the command line asks of the sandbox, and what it tells of it."""

from dataclasses import replace
from typing import Any

import pytest

from bot.sandbox.driving import printed
from bot.sandbox.model import ReplyPace
from bot.sandbox.slack import Post, SlackStandIn
from bot.sandbox.world import UNHURRIED, SandboxOptions, read_manifest


def test_without_a_terminal_progress_is_printed_line_by_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    slack = SlackStandIn()
    ann, news = slack.users["ann"], slack.channels["news"]
    begun = Post(ts="1.0", channel="C1", user=slack.bot_user_id, text="Approve?")
    with printed(slack):
        slack.state.keep(begun)
        slack.state.keep(replace(begun, text=f"Approve?\n_Asked <@{ann}> in <#{news}>_"))
        cells = [{"type": "raw_text", "text": text} for text in ("Source", "Share", "Wind", "24 %")]
        table = {"type": "table", "rows": [cells[:2], cells[2:]]}
        slack.state.keep(replace(begun, ts="2.0", text="", blocks=(table,)))
    lines = ["bot: Approve?", "   … Asked @ann in #news", "bot: Source | Share", "Wind | 24 %"]
    assert capsys.readouterr().out.splitlines() == lines


def pace(*asks: str, **given: Any) -> ReplyPace:
    return SandboxOptions(asks=asks, out=None, web=None, as_json=False, **given).pace


def test_the_model_is_unhurried_for_those_who_watch_the_page_unless_a_pace_is_given() -> None:
    assert pace() == UNHURRIED
    assert pace("hello") == pace("hello", port=0) == ReplyPace()
    assert pace(first_token_s=9.0) == ReplyPace(
        first_token_s=9.0, tokens_per_s=UNHURRIED.tokens_per_s
    )
    assert pace("hello", first_token_s=9.0) == ReplyPace(first_token_s=9.0)
    assert pace("hello", tokens_per_s=5.0) == ReplyPace(tokens_per_s=5.0)


def test_the_app_is_installed_in_slack_as_the_manifest_describes_it() -> None:
    manifest = read_manifest()
    slack = SlackStandIn.installed_from(manifest)
    assert list(slack.app.scopes) == manifest["oauth_config"]["scopes"]["bot"]
    assert [slack.app.is_subscribed(each) for each in ("app_mention", "pin_added")] == [True, False]
    offered = {shown.channel: list(shown.prompts) for shown in slack.state.prompts.values()}
    wanted = manifest["features"]["agent_view"]["suggested_prompts"]
    assert offered == {slack.dm_id(person): wanted for person in slack.people}
