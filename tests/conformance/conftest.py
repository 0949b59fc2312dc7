"""The implementations of Slack that are held to its rules."""

from collections.abc import AsyncIterator, Callable

import pytest

from tests.conformance.slack_app import RecordingApp, Web, in_socket_mode, web_client
from tests.conformance.slack_team import StandInTeam, Team

TEAMS: dict[str, Callable[..., Team]] = {"stand-in": StandInTeam}


@pytest.fixture(params=list(TEAMS.values()), ids=list(TEAMS))
def new_team(request: pytest.FixtureRequest) -> Callable[..., Team]:
    """Makes a team whose app has the given `scopes`, `bot_events` and so on."""
    make: Callable[..., Team] = request.param
    return make


@pytest.fixture
async def team(new_team: Callable[..., Team]) -> AsyncIterator[Team]:
    async with new_team() as team:
        yield team


@pytest.fixture
async def web(team: Team) -> Web:
    return web_client(team)


@pytest.fixture
async def app(team: Team) -> AsyncIterator[RecordingApp]:
    app = RecordingApp(team)
    async with in_socket_mode(app.bolt, team):
        yield app


@pytest.fixture
def general(team: Team) -> str:
    return team.channels["general"]
