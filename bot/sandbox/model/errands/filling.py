"""Arguments for an app tool, filled by the names and descriptions of its schema's fields."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.sandbox.model.errands.times import Appointment
from bot.sandbox.model.orders import Kind
from bot.sandbox.model.wire import Json, as_list, as_object, as_text

Role = str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A file that lies with the apps, ready to be attached."""

    name: str
    mimetype: str
    s3key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """What there is to fill in; empty where nothing is known."""

    kind: Kind
    recipients: tuple[str, ...] = ()
    to_me: bool = False
    """Without an address: a field that says so takes `me`."""
    title: str = ""
    text: str = ""
    appointment: Appointment | None = None
    channel: str = ""
    owner: str = ""
    repo: str = ""
    file: Attached | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of the schema with what it is recognised as."""

    name: str
    spec: Json
    role: Role
    is_required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    arguments: Json
    missing: tuple[Field, ...]
    """Fields that have to be filled and could not be."""
    takes_file: bool


ROLES: tuple[tuple[Role, str], ...] = (
    ("more_recipients", r"^(?:extra|additional|other|further)_?(?:recipients?|to)\w*$"),
    (
        "recipient",
        r"^to(?:_?(?:email|address|recipients?))?$|^recipients?(?:_?(?:e?mail|addr)\w*)?$",
    ),
    ("attendees", r"^(?:attendees?|invitees?|guests?|participants?)$"),
    ("end", r"^end(?:_|$|date|time|Date|Time)"),
    ("start", r"^start(?:_|$|date|time|Date|Time)"),
    ("hours", r"duration_?hours?$"),
    ("minutes", r"duration(?:_?(?:minutes?|mins?|in_minutes))?$"),
    ("zone", r"^time_?zone$|^tz$"),
    ("owner", r"^(?:owner|org|organi[sz]ation)$"),
    ("repo", r"^(?:repo|repository)(?:_?name)?$"),
    ("channel", r"^channel(?:_?(?:id|name))?$"),
    ("title", r"^(?:subject|title|summary|event_?title|name)$"),
    ("text", r"^(?:message_?)?body$|^(?:markdown_)?text$|^(?:content|markdown|message|notes)$"),
    ("text", r"^description$"),
)
DESCRIBED: tuple[tuple[Role, str], ...] = (
    ("recipient", r"\b(?:address|e-?mail) of the (?:main |primary )?recipient|^recipients?\b"),
    ("title", r"^(?:the )?(?:subject|title)\b"),
    ("text", r"^(?:the )?(?:text|body|content)s? of\b"),
)
SAYS_ME = re.compile(r"[`\"'“]me[`\"'”]", re.IGNORECASE)


def fill_in(schema: Json, values: Values) -> Filled:
    """The arguments that a schema asks for and the values give.

    Each value goes into one field, a required one first; what nobody knows is never made up.
    """
    definitions = as_object(schema.get("$defs")) or as_object(schema.get("definitions"))
    required = [as_text(name) for name in as_list(schema.get("required"))]
    fields = [
        Field(name=name, spec=spec, role=role_of(name, spec), is_required=name in required)
        for name, spec in _resolved_fields(schema, definitions)
    ]
    fields.sort(key=lambda field: not field.is_required)
    roles = {field.role for field in fields}
    arguments: Json = {}
    taken: set[Role] = set()
    for field in fields:
        value = _value(field, values, roles) if field.role not in taken else None
        if value is not None:
            arguments[field.name] = value
            taken.add(field.role)
    _share_recipients(arguments, fields, values)
    return Filled(
        arguments=arguments,
        missing=tuple(f for f in _needed(fields, values) if f.name not in arguments),
        takes_file="file" in roles,
    )


def role_of(name: str, spec: Json) -> Role:
    """What a field is for; empty where it cannot be told."""
    if any(_is_key(inner) for inner in _inner_fields(spec)):
        return "file"
    for role, pattern in ROLES:
        if re.search(pattern, name):
            return role
    described = _described(spec)
    return next((r for r, pattern in DESCRIBED if re.search(pattern, described, re.I)), "")


def _resolved_fields(schema: Json, definitions: Json) -> list[tuple[str, Json]]:
    return [(n, _resolved(s, definitions)) for n, s in as_object(schema.get("properties")).items()]


def _resolved(spec: object, definitions: Json) -> Json:
    """A field's schema behind references and beside null, with that of its items."""
    plain = as_object(spec)
    options = [o for o in as_list(plain.get("anyOf")) if as_object(o).get("type") != "null"]
    if options:
        plain = {**_resolved(options[0], definitions), **plain}
    if reference := as_text(plain.get("$ref")):
        plain = {**as_object(definitions.get(reference.rpartition("/")[2])), **plain}
    if "items" in plain:
        plain = {**plain, "items": _resolved(plain["items"], definitions)}
    return plain


def _inner_fields(spec: Json) -> list[str]:
    """The names of the fields of an object, or of the objects of an array."""
    inner = as_object(spec.get("items")) if spec.get("type") == "array" else spec
    return list(as_object(inner.get("properties")))


def _is_key(name: str) -> bool:
    return name.replace("_", "").lower() == "s3key"


def _needed(fields: Sequence[Field], values: Values) -> list[Field]:
    """What has to be filled: what the schema requires, and what the order would be void without."""
    voids: dict[Kind, Role] = {"mail": "recipient", "event": "start", "message": "channel"}
    void = voids.get(values.kind, "")
    needed = [field for field in fields if field.is_required and "default" not in field.spec]
    first = [field for field in fields if field.role and field.role == void][:1]
    return needed + [field for field in first if field not in needed]


def _value(field: Field, values: Values, roles: set[Role]) -> object:
    spec, role = field.spec, field.role
    texts = {
        "title": values.title,
        "text": values.text,
        "channel": values.channel,
        "owner": values.owner,
        "repo": values.repo,
    }
    if role in texts:
        return _text(spec, texts[role])
    if role == "file":
        return _file(spec, values.file)
    if role == "recipient":
        return _recipient(spec, values)
    if role == "attendees":
        return _listed(spec, values.recipients) if values.kind == "event" else None
    return _time(field, values.appointment, roles) if values.appointment else None


def _time(field: Field, appointment: Appointment, roles: set[Role]) -> object:
    match field.role:
        case "start":
            return _moment(field.spec, appointment.start, appointment)
        case "end":
            return _moment(field.spec, appointment.end, appointment)
        case "hours":
            return appointment.minutes // 60
        case "minutes":
            return appointment.minutes % 60 if "hours" in roles else appointment.minutes
        case "zone":
            return appointment.zone or "UTC"
        case _:
            return None


def _recipient(spec: Json, values: Values) -> object:
    if values.kind != "mail":
        return None
    known = values.recipients
    if not known and values.to_me and SAYS_ME.search(_described(spec)):
        known = ("me",)
    return _listed(spec, known)


def _share_recipients(arguments: Json, fields: Sequence[Field], values: Values) -> None:
    """Recipients beyond the first, where the field for them takes only one."""
    others = values.recipients[1:]
    is_shared = any(isinstance(v, list) and values.recipients[0] in v for v in arguments.values())
    if values.kind != "mail" or not others or is_shared:
        return
    takers = [f for f in fields if f.role == "more_recipients"] + [
        f for f in fields if f.name == "cc"
    ]
    for field in takers[:1]:
        arguments[field.name] = list(others)


def _listed(spec: Json, texts: tuple[str, ...]) -> object:
    if not texts:
        return None
    return list(texts) if spec.get("type") == "array" else texts[0]


def _text(spec: Json, text: str) -> object:
    if not text or spec.get("type", "string") != "string":
        return None
    return text[: int(spec.get("maxLength", len(text)))]


def _moment(spec: Json, moment: datetime, appointment: Appointment) -> object:
    written = f"{moment:%Y-%m-%dT%H:%M:%S}"
    zone = appointment.zone or "UTC"
    inner = _inner_fields(spec)
    return {n: zone if "zone" in n.lower() else written for n in inner} if inner else written


def _file(spec: Json, file: Attached | None) -> object:
    if file is None:
        return None
    entry = {name: _part(name, file) for name in _inner_fields(spec)}
    return [entry] if spec.get("type") == "array" else entry


def _part(name: str, file: Attached) -> str:
    if _is_key(name):
        return file.s3key
    return file.mimetype if "type" in name.lower() else file.name


def _described(spec: Json) -> str:
    return as_text(spec.get("description"))
