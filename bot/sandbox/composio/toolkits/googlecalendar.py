"""Google Calendar: each person's primary calendar, and the tools that read and change it."""

import secrets
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field

from bot.sandbox.composio.outcome import Data, Outcome
from bot.sandbox.composio.tools import AppArguments, Caller, Tool, Toolkit

SLUG = "googlecalendar"
EVENT_WORDS = frozenset(
    {"calendar", "calendars", "event", "events", "meeting", "meetings", "appointment"}
    | {"kalender", "termin", "termine"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of a calendar."""

    id: str
    summary: str
    start: datetime
    end: datetime
    timezone: str
    attendees: tuple[str, ...]
    description: str
    location: str
    organizer: str

    def as_item(self) -> Data:
        """The event as Google writes it."""
        zone = {"timeZone": self.timezone}
        return {
            "id": self.id,
            "status": "confirmed",
            "summary": self.summary,
            "description": self.description,
            "location": self.location,
            "start": {"dateTime": self.start.isoformat(), **zone},
            "end": {"dateTime": self.end.isoformat(), **zone},
            "attendees": [{"email": address} for address in self.attendees],
            "organizer": {"email": self.organizer, "self": True},
            "htmlLink": f"https://calendar.example.com/event?eid={self.id}",
        }


class Calendars:
    """Everybody's primary calendars; all begin empty."""

    def __init__(self) -> None:
        self._events: defaultdict[str, list[Event]] = defaultdict(list)

    def of(self, user_id: str) -> list[Event]:
        return self._events[user_id]


class CreateArguments(AppArguments):
    summary: Annotated[str | None, Field(description="Title of the event.")] = None
    start_datetime: Annotated[
        datetime,
        Field(description="Start as YYYY-MM-DDTHH:MM:SS, in `timezone` unless it has an offset."),
    ]
    event_duration_hour: Annotated[int, Field(ge=0, le=24, description="Hours it lasts.")] = 0
    event_duration_minutes: Annotated[
        int, Field(ge=0, le=59, description="Minutes it lasts beside the hours.")
    ] = 30
    timezone: Annotated[str, Field(description="IANA name such as Europe/Berlin.")] = "UTC"
    attendees: Annotated[
        tuple[str, ...], Field(description="Addresses that are invited; each gets an invitation.")
    ] = ()
    description: Annotated[str, Field(description="What the event is about.")] = ""
    location: Annotated[str, Field(description="Where it takes place.")] = ""
    calendar_id: Annotated[str, Field(description="Leave as `primary`.")] = "primary"


class ListArguments(AppArguments):
    calendarId: Annotated[str, Field(description="Leave as `primary`.")] = "primary"  # noqa: N815
    timeMin: Annotated[  # noqa: N815 - Google's names
        datetime | None, Field(description="Only events that end after this moment.")
    ] = None
    timeMax: Annotated[  # noqa: N815
        datetime | None, Field(description="Only events that start before this moment.")
    ] = None
    q: Annotated[str | None, Field(description="Words of the event.")] = None
    maxResults: Annotated[int, Field(ge=1, le=2500, description="How many at most.")] = 10  # noqa: N815
    singleEvents: Annotated[bool, Field(description="Whether to unfold series.")] = True  # noqa: N815


class DeleteArguments(AppArguments):
    event_id: Annotated[str, Field(min_length=1, description="`id` of a listed event.")]
    calendar_id: Annotated[str, Field(description="Leave as `primary`.")] = "primary"


class GoogleCalendar:
    """The tools over the calendars."""

    def __init__(self, calendars: Calendars) -> None:
        self._calendars = calendars

    async def create(self, caller: Caller, arguments: CreateArguments) -> Outcome:
        try:
            zone = ZoneInfo(arguments.timezone)
        except (ZoneInfoNotFoundError, ValueError):
            return Outcome(error=f"Invalid time zone: {arguments.timezone}")
        start = _place(arguments.start_datetime, zone)
        length = timedelta(
            hours=arguments.event_duration_hour, minutes=arguments.event_duration_minutes
        )
        event = Event(
            id=secrets.token_hex(10),
            summary=arguments.summary or "(no title)",
            start=start,
            end=start + length,
            timezone=arguments.timezone,
            attendees=tuple(arguments.attendees),
            description=arguments.description,
            location=arguments.location,
            organizer=caller.identity,
        )
        self._calendars.of(caller.user_id).append(event)
        return Outcome(data={"response_data": event.as_item()})

    async def list_events(self, caller: Caller, arguments: ListArguments) -> Outcome:
        earliest = arguments.timeMin and _place(arguments.timeMin, UTC)
        latest = arguments.timeMax and _place(arguments.timeMax, UTC)
        found = [
            event
            for event in sorted(self._calendars.of(caller.user_id), key=lambda event: event.start)
            if (earliest is None or event.end > earliest)
            and (latest is None or event.start < latest)
            and (arguments.q or "").casefold() in f"{event.summary} {event.description}".casefold()
        ]
        items = [event.as_item() for event in found[: arguments.maxResults]]
        return Outcome(data={"items": items, "summary": caller.identity, "nextPageToken": None})

    async def delete(self, caller: Caller, arguments: DeleteArguments) -> Outcome:
        events = self._calendars.of(caller.user_id)
        event = next((event for event in events if event.id == arguments.event_id), None)
        if event is None:
            return Outcome(error="Not Found: there is no such event")
        events.remove(event)
        return Outcome(data={"status": "deleted", "id": event.id})


def _place(moment: datetime, zone: Any) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def build_googlecalendar(calendars: Calendars) -> Toolkit:
    """Google Calendar with its three tools."""
    app = GoogleCalendar(calendars)
    tools = (
        Tool.define(
            "GOOGLECALENDAR_CREATE_EVENT",
            CreateArguments,
            app.create,
            title="Create event",
            toolkit=SLUG,
            description="Creates an event in the person's Google Calendar and invites the "
            "attendees by mail.",
            tags=("createHint", "openWorldHint", "important"),
            keywords=EVENT_WORDS
            | {"create", "add", "schedule", "put", "book", "invite", "eintragen"},
        ),
        Tool.define(
            "GOOGLECALENDAR_EVENTS_LIST",
            ListArguments,
            app.list_events,
            title="List events",
            toolkit=SLUG,
            description="Returns the events of the person's Google Calendar in a span of time, "
            "earliest first.",
            tags=("readOnlyHint", "important"),
            keywords=EVENT_WORDS
            | {"list", "find", "read", "get", "check", "show", "free", "agenda"},
        ),
        Tool.define(
            "GOOGLECALENDAR_DELETE_EVENT",
            DeleteArguments,
            app.delete,
            title="Delete event",
            toolkit=SLUG,
            description="Deletes an event of the person's Google Calendar for good and tells its "
            "attendees.",
            tags=("destructiveHint",),
            keywords=EVENT_WORDS | {"delete", "cancel", "remove"},
        ),
    )
    return Toolkit(
        slug=SLUG, name="Google Calendar", description="Calendar of one person.", tools=tools
    )
