"""Approvals and connections in German."""

from bot.presenter.consents.words.shape import Words

GERMAN = Words(
    conjunction="und",
    asked="{who} hat darum gebeten. Ich tue es erst nach einer Freigabe:",
    with_account="mit dem Konto {account}",
    reaches=("Erreicht {n} Empfänger: {whom}", "Erreicht {n} Empfänger: {whom}"),
    no_arguments="Ohne Angaben.",
    along="Geschieht im selben Zug und braucht keine Freigabe: {what}",
    more="und {n} weitere",
    tainted="In diesem Thread habe ich Text von außen gelesen. Er kann das verlangt haben.",
    until="Ich warte bis {when}. Prüfwert `{digest}`",
    in_file="Alles steht in der Datei `{file}` darüber. Prüfwert `{digest}`",
    cut="… der Rest steht in der Datei",
    not_shown=(
        "Ich konnte nicht alles zeigen, daher kann es niemand freigeben. "
        "Es lässt sich nur ablehnen."
    ),
    buttons={
        "approve": "Freigeben",
        "approve_thread": "Für diesen Thread freigeben",
        "reject": "Ablehnen…",
        "link": "Meinen Link zeigen",
        "skip": "Überspringen",
        "check": "Ich habe es verbunden",
    },
    approved="Freigegeben von {who}, {when}",
    approved_thread="Für diesen Thread freigegeben von {who}, {when}",
    rejected="Abgelehnt von {who}, {when}",
    rejected_because="Abgelehnt von {who}, {when}: „{reason}“",
    expired="Niemand hat rechtzeitig entschieden, daher ist es nicht geschehen.",
    overtaken=(
        "Es ist nicht geschehen: Vorher wurde angehalten, oder es ging mit einer neuen Nachricht "
        "weiter."
    ),
    void="Es ist nicht geschehen: Was zu tun war, hat sich geändert, daher passt keine Freigabe.",
    reason_title="Ablehnen",
    reason_label="Warum?",
    reason_hint="Der Agent liest das und kann es anders machen.",
    cancel="Abbrechen",
    to_connect="Warte bis {when} darauf, dass {who} {what} verbindet.",
    link=(
        "Verbinde {what}, damit ich weitermachen kann. Der Link ist nur für dich: "
        "Wer ihn öffnet, verbindet das eigene Konto in deinem Namen."
    ),
    connect="{what} verbinden",
    connected=("{what} verbunden von {who}", "{what} verbunden von {who}"),
    skipped=(
        "{who} hat die Verbindung mit {what} übersprungen",
        "{who} hat die Verbindung mit {what} übersprungen",
    ),
    not_in_time=(
        "{what} wurde nicht rechtzeitig verbunden",
        "{what} wurden nicht rechtzeitig verbunden",
    ),
    left_off=(
        "{what} wurde nicht verbunden: Es wurde angehalten oder ging mit einer neuen Nachricht "
        "weiter",
        "{what} wurden nicht verbunden: Es wurde angehalten oder ging mit einer neuen Nachricht "
        "weiter",
    ),
    refusals={
        "not_yours": (
            "Das kann nur entscheiden, wer darum gebeten hat oder eigens dafür benannt ist."
        ),
        "not_your_link": "Nur wer darum gebeten hat, kann ein Konto verbinden oder überspringen.",
        "over": "Dafür ist es zu spät: Das hier ist vorbei.",
        "decided": "Das ist schon entschieden.",
        "unknown": "Davon weiß ich hier nichts, daher habe ich nichts getan.",
        "no_link": "Ich bekomme gerade keinen Link. Drücke gleich „Meinen Link zeigen“.",
        "tainted": (
            "In diesem Thread wurde inzwischen Text von außen gelesen, daher wird jeder Schritt "
            "einzeln entschieden. Bitte drücke „Freigeben“ oder „Ablehnen“."
        ),
        "press_again": "Das ging gerade nicht. Bitte drücke noch einmal.",
        "not_connected_yet": "Es scheint noch nicht verbunden zu sein. Ich sehe weiter nach.",
    },
)
