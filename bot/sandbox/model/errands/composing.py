"""The values that an order is filled in with: its words, what was found out, what was answered."""

from bot.sandbox.model.errands.apps import Found
from bot.sandbox.model.errands.errand import Errand
from bot.sandbox.model.errands.filling import Attached, Values
from bot.sandbox.model.errands.times import read_appointment
from bot.sandbox.model.errands.wording import FOUND_ADDRESS, REPOSITORY, short_title

PHRASES = {
    "en": {
        "attached": "Attached is “{title}”. In short:",
        "attached_only": "“{title}” is attached.",
        "linked": "The short version of “{title}”:",
        "about": "I am writing about {about}.",
        "report": "Report: {title}",
        "event": "Appointment",
    },
    "de": {
        "attached": "Im Anhang ist „{title}“. Kurz gefasst:",
        "attached_only": "„{title}“ ist im Anhang.",
        "linked": "„{title}“, kurz gefasst:",
        "about": "Es geht um {about}.",
        "report": "Bericht: {title}",
        "event": "Termin",
    },
}


def compose(errand: Errand, found: Found | None, *, file: Attached | None = None) -> Values:
    """Everything that is known for an order so far; what is not known is left empty."""
    wording, kind = errand.wording, errand.order.kind
    place = REPOSITORY.search(errand.answer("repo") or "")
    when = " ".join([errand.order.clause, errand.answer("start") or ""])
    is_event = kind == "event" and found is not None
    return Values(
        kind=kind,
        recipients=_recipients(errand, found),
        to_me=errand.goes_to_asker,
        title=_title(errand),
        text=_text(errand, attaches=file is not None),
        appointment=read_appointment(when, errand.today(found)) if is_event and found else None,
        channel=wording.channel or errand.answer("channel") or "",
        owner=wording.owner or (place["owner"] if place else ""),
        repo=wording.repo or (place["repo"] if place else ""),
        file=file,
    )


def _recipients(errand: Errand, found: Found | None) -> tuple[str, ...]:
    own = errand.own_address(found) if found and errand.goes_to_asker else ""
    named = [errand.answer("named", name=name) or "" for name in errand.wording.names]
    asked = FOUND_ADDRESS.findall(" ".join([*named, errand.answer("recipient") or ""]))
    known = [own, *errand.wording.addresses, *asked]
    return tuple(dict.fromkeys(address for address in known if address))


def _title(errand: Errand) -> str:
    wording, findings, words = errand.wording, errand.findings, _words(errand)
    if wording.title:
        return wording.title
    if errand.order.kind == "mail" and findings.path and findings.title:
        return words["report"].format(title=findings.title)
    if errand.order.kind == "event":
        return findings.title or words["event"]
    dictated = wording.content or errand.answer("text") or ""
    return short_title(dictated) or findings.title or short_title(wording.about)


def _text(errand: Errand, *, attaches: bool) -> str:
    wording, findings, words = errand.wording, errand.findings, _words(errand)
    dictated = wording.content or errand.answer("text") or ""
    summary = findings.summary
    if errand.order.kind == "mail" and not (dictated or summary or attaches) and wording.about:
        return words["about"].format(about=wording.about)
    if attaches:
        intro = words["attached" if summary else "attached_only"]
    else:
        intro = words["linked"] if findings.title and summary else ""
    opening = intro.format(title=findings.title or findings.file_name)
    return "\n\n".join(part for part in (dictated, opening, summary) if part)


def _words(errand: Errand) -> dict[str, str]:
    return PHRASES["de" if errand.language == "de" else "en"]
