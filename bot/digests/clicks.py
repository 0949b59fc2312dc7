"""What people do with the buttons and forms about digests."""

import logging
from collections.abc import Callable, Mapping
from datetime import datetime

from agent_core.ids import UserId
from agent_core.prompts.language import Language
from agent_core.schedules.schedule import ScheduleId
from bot.digests import posts
from bot.digests.clerk import Clerk, NotDone
from bot.digests.desk import language_of
from bot.digests.form import form, read_form
from bot.digests.words import WORDS
from bot.ingress import Press, Submission
from bot.render import Draft
from bot.slack_api import SlackApi
from bot.threads import ThreadRef, user_id

logger = logging.getLogger(__name__)

_BLOCK_OF = {
    "too_often": "when", "never": "when", "over": "when", "unreadable": "when",
    "unknown_zone": "when", "unknown_channel": "channel", "not_allowed": "channel",
    "bot_not_there": "channel", "asker_not_there": "channel",
}  # fmt: skip


class Clicks:
    """The `Gestures` of digests. Done again, each leaves the same behind."""

    def __init__(self, clerk: Clerk, api: SlackApi, clock: Callable[[], datetime]) -> None:
        self._clerk = clerk
        self._api = api
        self._clock = clock

    async def press(self, press: Press) -> None:
        """Do what the button says, or tell the person alone why not.

        Raises:
            SlackError: Slack could not be asked; the press may come again.
        """
        name, _, chosen = press.action_id.removeprefix(posts.PREFIX), "", press.value
        if name == "menu":
            name, _, chosen = press.value.partition(":")
        who, schedule = user_id(press.team, press.user), ScheduleId(chosen)
        try:
            await self._do(name, schedule, who, press)
        except NotDone as refused:
            language = language_of(refused.schedule) if refused.schedule else "en"
            await self._api.post_ephemeral(
                press.channel,
                press.user,
                posts.refusal(refused, language),
                thread_ts=press.thread_ts or press.message_ts,
            )

    async def submit(self, submission: Submission) -> Mapping[str, str] | None:
        """Change the schedule as the form says."""
        schedule, language, place = _about(submission)
        who = user_id(submission.team, submission.user)
        try:
            current = await self._clerk.may_change(schedule, who)
            filled = read_form(submission.values, current, language, self._clock())
            if isinstance(filled, dict):
                return filled
            changed = await self._clerk.change(
                schedule,
                who,
                task=filled.task,
                rule=filled.rule,
                channel=filled.channel,
                when_nothing_new=filled.when_nothing_new,
            )
        except NotDone as refused:
            block = _BLOCK_OF.get(refused.refusal, "task")
            return {block: posts.refusal(refused, language)}
        if changed.status == "proposed":
            draft = posts.proposal(changed, language, self._clock())
        else:
            said = WORDS[language].changed
            draft = Draft(text=posts.told(said, changed, language, self._clock()))
        await self._answer(place, draft, submission.key)
        return None

    async def _do(self, name: str, schedule: ScheduleId, who: UserId, press: Press) -> None:
        now = self._clock()
        match name:
            case "confirm":
                done = await self._clerk.confirm(schedule, who)
                await self._replace(press, posts.agreed(done, language_of(done), now))
            case "cancel":
                done = await self._clerk.cancel(schedule, who)
                language = language_of(done)
                agreed = posts.agreed(done, language, now)
                no = Draft(text=WORDS[language].not_scheduled)
                await self._replace(press, no if done.status == "deleted" else agreed)
            case "change" | "edit":
                current = await self._clerk.may_change(schedule, who)
                place = _thread(press).session
                view = form(current, language_of(current), place=place)
                if await self._api.views.open(press.trigger_id, view) is None:
                    raise NotDone("press_again", current)
            case "pause" | "resume" | "run" | "delete":
                await self._change(name, schedule, who, press)
            case _:
                logger.warning("a button of another version was pressed: %s", name)

    async def _change(self, name: str, schedule: ScheduleId, who: UserId, press: Press) -> None:
        """Said in the thread of the list, where everybody sees who did it."""
        do = {
            "pause": self._clerk.pause,
            "resume": self._clerk.resume,
            "run": self._clerk.run,
            "delete": self._clerk.delete,
        }[name]
        done = await do(schedule, who)
        language = language_of(done)
        words = WORDS[language]
        said = {
            "pause": words.paused,
            "resume": words.resumed,
            "run": words.started,
            "delete": words.deleted,
        }[name]
        text = posts.told(said, done, language, self._clock())
        await self._answer(
            _thread(press).session, Draft(text=f"<@{press.user}>: {text}"), press.key
        )

    async def _replace(self, press: Press, draft: Draft) -> None:
        blocks = draft.blocks or _plain(draft)
        await self._api.update(press.channel, press.message_ts, draft.text, blocks=blocks)

    async def _answer(self, place: str, draft: Draft, key: str) -> None:
        team, channel, root_ts = place.split(":")
        thread = ThreadRef(team=team, channel=channel, root_ts=root_ts)
        if await self._api.find_post(thread, key) is None:
            await self._api.post(thread, draft.text, op_id=key, blocks=draft.blocks)


def _plain(draft: Draft) -> tuple[dict[str, object], ...]:
    """An update without blocks would leave the buttons where they are."""
    return ({"type": "section", "text": {"type": "mrkdwn", "text": draft.text}},)


def _thread(press: Press) -> ThreadRef:
    root_ts = press.thread_ts or press.message_ts
    return ThreadRef(team=press.team, channel=press.channel, root_ts=root_ts)


def _about(submission: Submission) -> tuple[ScheduleId, Language, str]:
    schedule, language, place = submission.private_metadata.split(" ", 2)
    known: dict[str, Language] = {name: name for name in WORDS}
    return ScheduleId(schedule), known.get(language, "en"), place
