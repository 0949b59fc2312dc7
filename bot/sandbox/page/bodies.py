"""The fields of each act as the page sends them."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Value = str | Annotated[int, Field(ge=0, lt=2**53)] | list[str] | None
"""What was entered or chosen: a text, a date, an option's value, or several of them."""


class Body(BaseModel):
    """Fields that an act does not know are passed over."""

    model_config = ConfigDict(frozen=True, strict=True)


class Say(Body):
    channel: str
    text: str = ""
    thread_ts: str | None = None
    broadcast: bool = False


class Message(Body):
    channel: str
    ts: str


class Edit(Message):
    text: str


class React(Message):
    name: str = Field(max_length=100, pattern=r"^[\w+'-]+(::skin-tone-[2-6])?$")
    remove: bool = False


class Click(Message):
    action_id: str
    block_id: str | None = None
    value: Value = None


class ClickView(Body):
    view_id: str
    action_id: str
    block_id: str | None = None
    value: Value = None


class SubmitView(Body):
    view_id: str
    values: dict[str, Value] = Field(default_factory=dict[str, Value])


class CloseView(Body):
    view_id: str
    all: bool = False


class Slash(Body):
    channel: str
    command: str
    text: str = ""


class UseMessageShortcut(Message):
    callback_id: str


class OpenHome(Body):
    tab: Literal["home", "messages"] = "home"


class Stop(Body):
    channel: str
    thread_ts: str


class Invite(Body):
    channel: str
