"""What a person is told of an order: done, or why not; in German or otherwise in English."""

from typing import Literal

from bot.sandbox.model.errands.filling import Role, Values
from bot.sandbox.model.orders import Kind

Reason = Literal[
    "rejected",
    "rejected_because",
    "late",
    "overtaken",
    "failed",
    "unconnected",
    "open",
    "no_tool",
    "no_upload",
    "missing",
    "stopped",
    "nothing_found",
]

THINGS: dict[str, dict[Kind, tuple[str, str, str]]] = {
    "en": {
        "mail": ("The mail{title}{to}", "was sent", "was not sent"),
        "event": ("The event{title}{when}", "is in the calendar", "was not entered"),
        "issue": ("The issue{title}{place}", "was created", "was not created"),
        "message": ("The message{channel}", "was posted", "was not posted"),
        "page": ("The page{title}", "was created", "was not created"),
    },
    "de": {
        "mail": ("Die Mail{title}{to}", "wurde gesendet", "wurde nicht gesendet"),
        "event": ("Der Termin{title}{when}", "steht im Kalender", "wurde nicht eingetragen"),
        "issue": ("Das Issue{title}{place}", "wurde angelegt", "wurde nicht angelegt"),
        "message": ("Die Nachricht{channel}", "wurde gepostet", "wurde nicht gepostet"),
        "page": ("Die Seite{title}", "wurde angelegt", "wurde nicht angelegt"),
    },
}
REASONS: dict[str, dict[Reason, str]] = {
    "en": {
        "rejected": "it was not approved, and no reason was given",
        "rejected_because": "it was not approved, with the reason “{why}”",
        "late": "nobody approved it in time",
        "overtaken": "you wrote something else before it was approved",
        "failed": "the attempt failed with “{why}”",
        "unconnected": "the account of {app} was not connected",
        "open": "the account of {app} has to be connected first; then say “continue”",
        "no_tool": "I found no tool for it",
        "no_upload": "{file} could not be uploaded for attaching ({why})",
        "missing": "I do not know {what}",
        "stopped": "I had to stop before it",
        "nothing_found": "there is nothing to pass on",
    },
    "de": {
        "rejected": "das wurde nicht freigegeben, ohne Angabe eines Grundes",
        "rejected_because": "das wurde nicht freigegeben, mit dem Grund „{why}“",
        "late": "niemand hat es rechtzeitig freigegeben",
        "overtaken": "du hast vor der Freigabe etwas anderes geschrieben",
        "failed": "der Versuch ist gescheitert mit „{why}“",
        "unconnected": "das Konto bei {app} wurde nicht verbunden",
        "open": "das Konto bei {app} muss erst verbunden werden; danach genügt „weiter“",
        "no_tool": "ich habe kein Werkzeug dafür gefunden",
        "no_upload": "{file} ließ sich nicht zum Anhängen hochladen ({why})",
        "missing": "mir fehlt {what}",
        "stopped": "ich musste vorher aufhören",
        "nothing_found": "es gibt nichts weiterzugeben",
    },
}
UNKNOWN = {
    "en": "I do not know whether this happened: {thing}. The call was interrupted, so it may or "
    "may not have been carried out. I have not tried again; please look before you ask for it "
    "once more.",
    "de": "Ich weiß nicht, ob das geschehen ist: {thing}. Der Aufruf wurde unterbrochen und kann "
    "ausgeführt worden sein oder nicht. Ich habe es nicht noch einmal versucht; bitte erst "
    "nachsehen, bevor du es noch einmal verlangst.",
}
QUESTIONS: dict[str, dict[Role, str]] = {
    "en": {
        "recipient": "Which email address should the mail go to?",
        "named": "What is the email address of {name}?",
        "start": "On which day and at what time?",
        "repo": "In which repository (owner/name)?",
        "channel": "In which channel?",
        "text": "What should it say?",
        "other": "What should I fill in for `{field}`? {about}",
    },
    "de": {
        "recipient": "An welche E-Mail-Adresse soll die Mail gehen?",
        "named": "Wie lautet die E-Mail-Adresse von {name}?",
        "start": "An welchem Tag und um wie viel Uhr?",
        "repo": "In welchem Repository (Besitzer/Name)?",
        "channel": "In welchem Kanal?",
        "text": "Was soll darin stehen?",
        "other": "Was soll ich bei `{field}` eintragen? {about}",
    },
}
MISSING: dict[str, dict[Role, str]] = {
    "en": {
        "recipient": "the recipient's address",
        "start": "the day and the time",
        "repo": "the repository",
        "channel": "the channel",
        "text": "what it should say",
    },
    "de": {
        "recipient": "die Adresse des Empfängers",
        "start": "Tag und Uhrzeit",
        "repo": "das Repository",
        "channel": "der Kanal",
        "text": "der Text",
    },
}
EXTRAS = {
    "en": {
        "account": ", as {account}",
        "file": ", with {file} attached",
        "no_file": ", without {file}, since the tool takes no attachment",
    },
    "de": {
        "account": ", als {account}",
        "file": ", mit {file} im Anhang",
        "no_file": ", ohne {file}, weil das Werkzeug keinen Anhang annimmt",
    },
}
QUOTES = {"en": "“{}”", "de": "„{}“"}


def tell_done(values: Values, language: str, *, account: str, file: str, link: str) -> str:
    """That an order was carried out: what, to whom, as which account."""
    code = _known(language)
    thing, done, _ = THINGS[code][values.kind]
    extras = EXTRAS[code]
    told = f"{_filled(thing, values, code)} {done}"
    if file:
        told += extras["file" if values.file else "no_file"].format(file=file)
    if account:
        told += extras["account"].format(account=account)
    return f"{told}: {link}" if link else f"{told}."


def tell_not_done(values: Values, language: str, reason: Reason, **details: str) -> str:
    """That an order was not carried out, and why."""
    code = _known(language)
    thing, _, undone = THINGS[code][values.kind]
    why = REASONS[code][reason].format(**details)
    return f"{_filled(thing, values, code)} {undone}: {why}."


def tell_unknown(values: Values, language: str) -> str:
    """That nobody can say whether an order was carried out."""
    code = _known(language)
    thing, done, _ = THINGS[code][values.kind]
    whole = f"{_filled(thing, values, code)} {done}"
    return UNKNOWN[code].format(thing=whole)


def question(role: Role, language: str, **details: str) -> str:
    """The question for something that has to be known."""
    known = QUESTIONS[_known(language)]
    return known.get(role, known["other"]).format(**details).strip()


def missing(role: Role, language: str, field: str = "", **_: str) -> str:
    """What is not known, as words for a sentence."""
    return MISSING[_known(language)].get(role, f"`{field}`")


def _filled(thing: str, values: Values, code: str) -> str:
    to, at = {"en": (" to ", " on "), "de": (" an ", " am ")}[code]
    place = f"{values.owner}/{values.repo}" if values.repo else ""
    return thing.format(
        title=f" {QUOTES[code].format(values.title)}" if values.title else "",
        to=f"{to}{', '.join(values.recipients)}" if values.recipients else "",
        when=f"{at}{_when(values)}" if values.appointment else "",
        place=f" in {place}" if place else "",
        channel=f"{' in '}{values.channel}" if values.channel else "",
    )


def _when(values: Values) -> str:
    appointment = values.appointment
    if appointment is None:
        return ""
    return f"{appointment.start:%Y-%m-%d %H:%M} ({appointment.zone or 'UTC'})"


def _known(language: str) -> str:
    return "de" if language == "de" else "en"
