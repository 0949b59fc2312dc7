"""Digests in German."""

from bot.digests.words.shape import Words

GERMAN = Words(
    understood="*{task}*\n{when}, in {channel}\nNächste: {next}",
    only_news="Ich poste nur, wenn es etwas Neues gibt.",
    says_no_news="Gibt es nichts Neues, sage ich das in einer Zeile.",
    shall_i="Soll ich das so machen?",
    in_private="unseren Direktnachrichten",
    ask={
        "time": "Um wie viel Uhr? Zum Beispiel „um 9:00“ (deine Zeitzone ist {zone}).",
        "day": "An welchen Tagen? Zum Beispiel „jeden Montag um 9:00“.",
        "task": "Worum soll es in dem Digest gehen?",
        "zone": "Welche Zeitzone meinst du? Zum Beispiel „9:00 Europe/Berlin“.",
        "channel": "In welchem Kanal? Nenne bitte nur einen, zum Beispiel „in #news“.",
    },
    ask_which_rule=(
        "Ein Digest folgt nur einer Regel. Welche soll ich nehmen: „{first}“ oder „{second}“? "
        "Die andere kann ein eigener Digest werden."
    ),
    scheduled=(
        "Eingeplant als Digest {n}, bestellt von {who}: *{task}*\n"
        "{when}, in {channel}\nNächste: {next}"
    ),
    not_scheduled="Nicht eingeplant.",
    refusals={
        "unreadable": "Ich habe nicht verstanden, wann. Zum Beispiel: „jeden Werktag um 9:00“.",
        "unknown_zone": "Diese Zeitzone kenne ich nicht. Zum Beispiel: „9:00 Europe/Berlin“.",
        "too_often": "Das ist zu oft: Ein Digest kommt höchstens alle 15 Minuten.",
        "never": "Diesen Tag gibt es in den nächsten zehn Jahren nicht. Nenne bitte einen anderen.",
        "over": "Alle diese Zeiten sind schon vorbei.",
        "unknown_channel": "Ich sehe keinen Kanal {channel}. Lade mich ein und frage noch mal.",
        "bot_not_there": "Ich bin nicht in {channel}. Lade mich dort ein und frage noch mal.",
        "not_allowed": "Ich darf in {channel} nicht arbeiten.",
        "asker_not_there": "Du bist nicht in {channel}. Tritt bei und frage noch mal.",
        "team_full": "Dieser Workspace hat {n} Digests. Mehr darf ich nicht führen.",
        "place_full": "{channel} hat {n} Digests. Mehr darf ich dort nicht führen.",
        "person_full": "Du hast {n} Digests. Mehr darf ich für eine Person nicht führen.",
        "not_yours": "Digest {n} können nur {who} (hat ihn bestellt) und Admins ändern.",
        "not_yours_yet": "Das kann nur {who} entscheiden (hat ihn bestellt).",
        "not_there": "Diesen Digest gibt es nicht. „Zeige die Digests“ zeigt alle.",
        "which": "Welchen meinst du? Nenne ihn bei seiner Nummer:",
        "already_running": "Digest {n} wird gerade erstellt.",
        "press_again": "Das hat zu lange gedauert. Bitte drücke noch einmal auf den Knopf.",
    },
    buttons={
        "confirm": "Bestätigen",
        "change": "Ändern",
        "cancel": "Abbrechen",
        "pause": "Pausieren",
        "resume": "Fortsetzen",
        "run": "Jetzt ausführen",
        "edit": "Bearbeiten",
        "delete": "Löschen",
        "new": "Neuer Digest",
    },
    listed="Digests",
    more="Und {n} weitere. Nenne einen bei seiner Nummer: „bearbeite Digest 21“.",
    none=(
        "Hier gibt es keine Digests. Bestelle einen, zum Beispiel: "
        "„poste jeden Werktag um 9 einen Digest über Batteriespeicher in #energie“."
    ),
    paused="Digest {n} (*{task}*) pausiert. „Setze Digest {n} fort“ startet ihn wieder.",
    resumed="Digest {n} (*{task}*) geht weiter. Nächste: {next}",
    deleted="Digest {n} (*{task}*) ist gelöscht. Was er gepostet hat, bleibt.",
    started="Digest {n} (*{task}*) wird jetzt erstellt.",
    changed="Digest {n} ist geändert: *{task}*\n{when}, in {channel}\nNächste: {next}",
    is_paused="pausiert",
    is_paused_because="pausiert: {why}",
    is_over="vorbei",
    next_is="nächster: {next}",
    why_paused={
        "failing": "er ist dreimal hintereinander gescheitert",
        "owner_left": "wer ihn bestellt hat, ist nicht mehr im Kanal oder im Workspace",
        "place_closed": "sein Kanal ist archiviert oder weg",
        "not_in_place": "ich bin nicht mehr in seinem Kanal",
        "may_not_post": "ich darf in seinem Kanal nicht posten",
    },
    form_title="Digest",
    form_task="Worum geht es?",
    form_when="Wann? Zum Beispiel: jeden Werktag um 9:00",
    form_channel="In welchem Kanal?",
    form_news="Wenn es nichts Neues gibt",
    news_post="Trotzdem posten",
    news_say_so="In einer Zeile sagen",
    news_silent="Nichts posten",
    form_save="Speichern",
    form_unclear="Bitte Tage und Uhrzeit angeben, zum Beispiel: jeden Werktag um 9:00",
    first="Das ist der erste.",
    news_since="Neu seit {when}: {count} von {of}.",
    no_news_since="Nichts Neues seit {when}.",
    late="Verspätet: fällig war {when}.",
    left_out=("{n} früherer wurde ausgelassen.", "{n} frühere wurden ausgelassen."),
    new_mark="neu",
    by_hand="Auf Wunsch erstellt, neben den üblichen Zeiten.",
    footer="Digest {n} · {when} · bestellt von {who} · antworte hier, um weiterzumachen",
    failed="Digest {n} (*{task}*) ist diesmal nicht gelungen. Ich versuche es wieder.",
    paused_because=(
        "Digest {n} (*{task}*) pausiert: {why}. „Setze Digest {n} fort“ startet ihn wieder."
    ),
)
