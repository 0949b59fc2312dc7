"""What an act has at hand: who acts, the files they brought, what the app offers."""

from dataclasses import dataclass

from bot.sandbox.page.features import Features
from bot.sandbox.page.person import Person
from bot.sandbox.slack.gestures import TypedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    person: Person
    features: Features
    files: tuple[TypedFile, ...] = ()
