"""The sandbox's Slack has the app installed as manifest.yml describes it, and not with more."""

from copy import deepcopy

from bot.sandbox.slack import SlackStandIn
from bot.sandbox.world import read_manifest


def test_the_app_has_the_scopes_and_events_of_the_manifest() -> None:
    manifest = read_manifest()
    slack = SlackStandIn.installed_from(manifest)
    assert list(slack.app.scopes) == manifest["oauth_config"]["scopes"]["bot"]
    assert not slack.app.is_subscribed("pin_added")
    assert slack.app.is_subscribed("app_mention")
    assert slack.app.is_home_enabled == manifest["features"]["app_home"]["home_tab_enabled"]


def test_each_person_is_offered_the_prompts_of_the_manifest() -> None:
    manifest = read_manifest()
    slack = SlackStandIn.installed_from(manifest)
    offered = {shown.channel: list(shown.prompts) for shown in slack.state.prompts.values()}
    wanted = manifest["features"]["agent_view"]["suggested_prompts"]
    assert offered == {slack.dm_id(person): wanted for person in slack.people}


def test_an_app_without_an_agent_view_offers_nothing() -> None:
    manifest = deepcopy(read_manifest())
    del manifest["features"]["agent_view"]
    assert SlackStandIn.installed_from(manifest).state.prompts == {}
