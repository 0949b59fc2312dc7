"""The composition root: every object of the running bot is made here."""

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from functools import partial

import aiohttp

from agent_core.background import Background
from agent_core.clock import machine_time
from agent_core.ids import SessionId
from agent_core.runtime import Runtime, build_runtime
from agent_core.settings import CoreSettings
from agent_core.watchdog import watched_loop
from bot.asks.clicks import AskClicks
from bot.console import health
from bot.console.acts import LIVE
from bot.console.console import Console
from bot.digests import PREFIX as DIGESTS
from bot.digests import DigestHost, DigestLimits, DigestMessages, DigestOrders, DigestPresenter
from bot.front import BranchStops, FrontDoor, WorkspaceFiles
from bot.home.feedback import FeedbackClicks
from bot.home.home import Home
from bot.home.view import PREFIX as HOME
from bot.ingress import (
    HOME_OPENED,
    Actions,
    AskAbout,
    Backfill,
    Ingress,
    Rules,
    connect_socket,
    create_app,
    leave_to_next_start,
    register,
    take_up,
)
from bot.ingress.shortcuts import PREFIX as ASK
from bot.presenter import Indicators
from bot.presenter.answer import FEEDBACK, FOLLOW
from bot.presenter.ask_buttons import CONSENTS, QUESTIONS
from bot.presenter.journal import READER
from bot.presenter.progress import OPEN_LIVE_VIEW, STOP_BRANCH
from bot.presenting import Presenting
from bot.settings import BotSettings
from bot.slack_api import MonotonicClock, People, SlackApi, web_client
from bot.socket import Timing
from bot.surface import SlackSurface
from bot.threads import ThreadRef

logger = logging.getLogger(__name__)

TAKE_UP_EVERY_S = 5.0
_NO_SESSION = SessionId("")


async def follow_ups_in(runtime: Runtime, settings: BotSettings, thread: ThreadRef) -> str:
    """Which replies without a mention are answered in a channel."""
    place = f"{thread.team}:{thread.channel}"
    return await runtime.preferences.get(place, "follow_ups") or settings.follow_ups


@asynccontextmanager
async def running_bot(
    settings: BotSettings,
    core: CoreSettings,
    *,
    socket_timing: Timing | None = None,
    clock: Callable[[], datetime] = machine_time,
    slack_clock: MonotonicClock | None = None,
) -> AsyncGenerator[Runtime, None]:
    """A bot that listens; what was left unfinished goes on. Leaving the context stops it.

    `clock` tells the moment, in UTC; Slack's must be about the same. By `slack_clock` it paces what
    it shows there.
    """
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30))
        )
        client = web_client(
            settings.slack_bot_token.get_secret_value(),
            base_url=settings.slack_api_url,
            session=session,
        )
        api = SlackApi(client, clock=slack_clock, settle_s=settings.slack_settle_s)
        identity = await api.identify()
        runtime = await stack.enter_async_context(
            build_runtime(core, clock=clock, approvers=settings.approvers or ())
        )
        people, indicators = People(api, runtime.preferences), Indicators(api)
        orders = DigestOrders(
            *(runtime.schedules, runtime.timekeeper, api.channels, people, clock),
            DigestLimits(
                team=settings.digests_per_team,
                place=settings.digests_per_channel,
                person=settings.digests_per_person,
                channels=settings.allowed_channels,
            ),
        )
        digests = DigestMessages(orders, runtime.order_reader, api, runtime.marks, clock)
        rules = Rules(
            identity=identity,
            teams=settings.allowed_teams,
            channels=settings.allowed_channels,
            users=settings.allowed_users,
        )
        console, home = (
            Console(settings, runtime, api, rules, clock),
            Home(runtime, api, people, rules, orders, digests, clock),
        )
        presenting = Presenting(
            runtime,
            api,
            indicators,
            partial(DigestPresenter, runtime, clock),
            offers_live_view=lambda: bool(console.url),
            now=clock,
        )
        stack.push_async_callback(presenting.close)
        app = create_app(client, identity)
        front, files = FrontDoor(runtime, api.clock, digests), WorkspaceFiles(runtime, api, clock)
        ingress = Ingress(
            *(front, runtime.ledger, files, api, rules, indicators, people),
            *(runtime.reply_reader, partial(follow_ups_in, runtime, settings)),
            hears_all=not core.database_url,  # several processes may share one
        )
        stack.push_async_callback(leave_to_next_start, ingress.under_way)
        acts, looks_for_left = console.acts(ingress), Background()
        actions = Actions(
            {
                DIGESTS: digests,
                ASK: AskAbout(api, people, ingress),
                **dict.fromkeys((QUESTIONS, CONSENTS), AskClicks(runtime.asks, api, people, clock)),
                FEEDBACK: FeedbackClicks(runtime, api, people, clock),
                HOME: home,
                FOLLOW: acts,
                OPEN_LIVE_VIEW: console,
                STOP_BRANCH: BranchStops(runtime, api, people),
            },
            *(runtime.ledger, rules, people, api),
            for_readers=(OPEN_LIVE_VIEW, HOME_OPENED),
        )
        stack.push_async_callback(leave_to_next_start, actions.under_way)
        backfill = Backfill(
            ingress,
            front,
            api,
            identity,
            marks=runtime.marks,
            sessions=runtime.sessions,
            now_s=lambda: clock().timestamp(),
        )
        await backfill.watermarks.open()
        register(app, ingress, actions, backfill)
        runtime.take_orders_with(partial(digests.take, is_order=True))
        await runtime.readers.show_with(READER, presenting.attach)
        stack.push_async_callback(looks_for_left.close)
        look = partial(take_up, runtime.ledger, ingress, actions, {LIVE: acts.replay})
        await look()
        looks_for_left.repeat(
            look, pause=partial(api.clock.sleep, TAKE_UP_EVERY_S), name="taking up what was left"
        )
        socket = await connect_socket(
            app,
            settings.slack_app_token.get_secret_value(),
            timing=socket_timing,
            ask=api.token,
            on_healed=partial(backfill.watermarks.lose, "the socket was not open"),
        )
        stack.push_async_callback(socket.close)
        stack.push_async_callback(backfill.close)
        backfill.start(is_well=lambda: socket.health().connected)
        runtime.keep_schedules(DigestHost(api, orders))
        runtime.talk_on(SlackSurface(runtime, api, people, settings.allowed_channels))
        looks = {
            "loop": partial(health.look_at_loop, stack.enter_context(watched_loop())),
            "socket": partial(health.look_at_socket, socket),
            "tools": partial(health.look_at_tools, runtime.away),
            "database": partial(
                health.look_at_database, lambda: runtime.knows(_NO_SESSION), lambda: runtime.trouble
            ),
        }
        await stack.enter_async_context(console.serve(looks, acts))
        logger.info("listening as %s in team %s", identity.bot_user, identity.team)
        yield runtime
