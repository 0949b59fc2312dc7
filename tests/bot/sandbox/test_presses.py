"""What a person's hands find in Slack: buttons by name, and links for their eyes."""

from typing import Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.presses import find_buttons, find_own_links, list_buttons
from bot.sandbox.slack import SlackStandIn


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
