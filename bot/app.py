"""The composition root: every object of the running bot is made here."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from functools import partial
from typing import get_args

import aiohttp

from agent_core.background import Background
from agent_core.clock import machine_time
from agent_core.ids import SessionId
from agent_core.runtime import Runtime, build_runtime
from agent_core.settings import CoreSettings
from agent_core.watchdog import Lag, watched_loop
from bot import clicks
from bot.asks import AskClicks
from bot.console.acts import LIVE
from bot.console.console import Console
from bot.console.server import (
    Look,
    look_at_database,
    look_at_loop,
    look_at_socket,
    look_at_tools,
)
from bot.digests import (
    DigestClicks,
    DigestHost,
    DigestMessages,
    DigestOrders,
    DigestPresenter,
)
from bot.front import FrontDoor, WorkspaceFiles, stop_branch
from bot.home.feedback import FeedbackClicks
from bot.home.home import Home
from bot.ingress import (
    Actions,
    AskAbout,
    Backfill,
    Handler,
    Ingress,
    Rules,
    Watermark,
    connect_socket,
    create_app,
    leave_to_next_start,
    register,
    take_up,
    tell_why,
)
from bot.presenter import Indicators, Presenting
from bot.presenter.journal import READER
from bot.setting_orders import SettingOrders
from bot.settings import BotSettings
from bot.slack_api import People, SlackApi, web_client
from bot.socket import SocketMode, Timing
from bot.surface import SlackSurface
from bot.threads import ThreadRef

logger = logging.getLogger(__name__)

TAKE_UP_EVERY_S = 5.0
_NO_SESSION = SessionId("")


async def follow_ups_in(runtime: Runtime, thread: ThreadRef) -> str:
    """Which replies without a mention are answered in a thread."""
    settings = await runtime.scopes.at(thread.session)
    return settings.values.follow_ups


def _handlers(
    runtime: Runtime,
    api: SlackApi,
    people: People,
    ingress: Ingress,
    rules: Rules,
    orders: DigestOrders,
    clock: Callable[[], datetime],
) -> dict[type, Handler]:
    """Who deals with each kind of gesture, but those of the live view."""
    asks = AskClicks(runtime.asks, api, clock)
    feedback = FeedbackClicks(runtime, api)
    ask_about = AskAbout(api, people, ingress)
    digests = DigestClicks(orders)
    settings = SettingOrders(runtime, orders)
    home = Home(
        runtime,
        api,
        people,
        rules,
        orders,
        digests,
        settings,
        clock,
    )
    return {
        clicks.ApprovalClick: asks.decide,
        clicks.ApprovalMenu: asks.decide,
        clicks.ApprovalForm: asks.submit,
        clicks.ConnectionClick: asks.connect,
        clicks.QuestionClick: asks.choose,
        clicks.QuestionForm: asks.answer,
        clicks.FeedbackClick: feedback.give,
        clicks.BranchStop: partial(stop_branch, runtime),
        clicks.AskShortcut: ask_about.ask,
        clicks.WhyShortcut: partial(tell_why, runtime, api),
        clicks.AskForm: ask_about.submit,
        clicks.ProposalClick: digests.decide,
        clicks.NewDigestClick: digests.order,
        clicks.ScheduleClick: digests.choose,
        clicks.DigestForm: digests.submit,
        clicks.SettingClick: settings.agree,
        clicks.HomeOpened: home.open,
        clicks.Command: home.command,
        clicks.EraseClick: home.erase,
        clicks.HomeScheduleClick: home.press,
        **dict.fromkeys(get_args(clicks.HomeClick), home.press),
    }


async def _take_up_regularly(
    stack: AsyncExitStack, look: Callable[[], Awaitable[None]], api: SlackApi
) -> None:
    """Take up at once what was recorded and not settled, and then every few seconds."""
    background = Background()
    stack.push_async_callback(background.close)
    await look()
    pause = partial(api.clock.sleep, TAKE_UP_EVERY_S)
    background.repeat(look, pause=pause, name="taking up what was left")


def _looks(runtime: Runtime, socket: SocketMode, lag: Lag) -> dict[str, Look]:
    """What `/healthz` looks at."""

    async def reads() -> object:
        return await runtime.knows(_NO_SESSION)

    return {
        "loop": partial(look_at_loop, lag),
        "socket": partial(look_at_socket, socket),
        "tools": partial(look_at_tools, runtime.away),
        "database": partial(look_at_database, reads, lambda: runtime.trouble),
    }


@asynccontextmanager
async def running_bot(
    settings: BotSettings,
    core: CoreSettings,
    *,
    socket_timing: Timing | None = None,
    clock: Callable[[], datetime] = machine_time,
) -> AsyncGenerator[Runtime, None]:
    """A bot that listens; what was left unfinished goes on. Leaving the context stops it.

    `clock` tells the moment, in UTC; Slack's must be about the same.
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
        api = SlackApi(client, settle_s=settings.slack_settle_s)
        identity = await api.identify()
        runtime = await stack.enter_async_context(
            build_runtime(
                core,
                clock=clock,
                approvers=settings.approvers or (),
                surface=settings,
            )
        )
        people = People(api, runtime.preferences)
        indicators = Indicators(api, on_sign=lambda post_ts: console.note_sign(post_ts))
        orders = DigestOrders(
            runtime.schedules,
            runtime.timekeeper,
            api,
            people,
            clock,
            settings,
            runtime.scopes,
        )
        digests = DigestMessages(orders, runtime.order_reader)
        rules = Rules(
            identity=identity,
            teams=settings.allowed_teams,
            channels=settings.allowed_channels,
            users=settings.allowed_users,
            scopes=runtime.scopes,
        )
        console = Console(settings, runtime, api, rules, clock)
        presenting = Presenting(
            runtime,
            api,
            indicators,
            partial(DigestPresenter, runtime, clock),
            offers_live_view=lambda: bool(console.port and settings.console_url),
            now=clock,
        )
        stack.push_async_callback(presenting.close)
        app = create_app(client, identity)
        front = FrontDoor(runtime, api.clock, digests)
        ingress = Ingress(
            front,
            runtime.ledger,
            WorkspaceFiles(runtime, api, clock),
            api,
            rules,
            indicators,
            people,
            runtime.reply_reader,
            partial(follow_ups_in, runtime),
            hears_all=not core.database_url,  # several processes may share one
        )
        stack.push_async_callback(leave_to_next_start, ingress.under_way)
        acts = console.acts(ingress)
        actions = Actions(
            {
                **_handlers(
                    runtime,
                    api,
                    people,
                    ingress,
                    rules,
                    orders,
                    clock,
                ),
                clicks.FollowUpClick: acts.follow_up,
                clicks.LiveViewClick: console.open,
            },
            runtime.ledger,
            rules,
            people,
            api,
            for_everybody=(clicks.LiveViewClick, clicks.HomeOpened),
        )
        stack.push_async_callback(leave_to_next_start, actions.under_way)
        watermark = Watermark(runtime.marks, identity.team, clock)
        await watermark.open()
        backfill = Backfill(
            ingress,
            front,
            api,
            identity,
            runtime.sessions,
            watermark,
        )
        register(app, ingress, actions, backfill)
        runtime.take_orders_with(SettingOrders(runtime, orders, digests).take)
        await runtime.show_with(READER, presenting.attach)
        look = partial(
            take_up,
            runtime.ledger,
            ingress,
            actions,
            {LIVE: acts.replay},
        )
        await _take_up_regularly(stack, look, api)
        socket = await connect_socket(
            app,
            settings.slack_app_token.get_secret_value(),
            timing=socket_timing,
            ask=api.token,
            on_healed=partial(watermark.lose, "the socket was not open"),
        )
        stack.push_async_callback(socket.close)
        stack.push_async_callback(backfill.close)
        backfill.start(is_well=lambda: socket.is_open)
        runtime.keep_schedules(DigestHost(orders))
        runtime.talk_on(
            SlackSurface(
                runtime,
                api,
                people,
                settings.allowed_channels,
            )
        )
        looks = _looks(runtime, socket, stack.enter_context(watched_loop()))
        await stack.enter_async_context(console.serve(looks, acts))
        logger.info("listening as %s in team %s", identity.bot_user, identity.team)
        yield runtime
