# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.

## Digests

digest-understood = *{ $task }*
    { $when }, in { $channel }
    Nächste: { $next }
digest-only-news = Ich poste nur, wenn es etwas Neues gibt.
digest-says-no-news = Gibt es nichts Neues, sage ich das in einer Zeile.
digest-shall-i = Soll ich das so machen?
digest-in-private = unseren Direktnachrichten
digest-ask-time = Um wie viel Uhr? Zum Beispiel „um 9:00“ (deine Zeitzone ist { $zone }).
digest-ask-day = An welchen Tagen? Zum Beispiel „jeden Montag um 9:00“.
digest-ask-task = Worum soll es in dem Digest gehen?
digest-ask-channel = In welchem Kanal? Nenne bitte nur einen, zum Beispiel „in #news“.
digest-scheduled = Eingeplant als Digest { $n }, bestellt von { $who }: *{ $task }*
    { $when }, in { $channel }
    Nächste: { $next }
digest-not-scheduled = Nicht eingeplant.
digest-refusal-unreadable = Ich habe nicht verstanden, wann. Zum Beispiel: „jeden Werktag um 9:00“.
digest-refusal-unknown-zone = Diese Zeitzone kenne ich nicht. Zum Beispiel: „9:00 Europe/Berlin“.
digest-refusal-too-often = Das ist zu oft: Ein Digest kommt höchstens alle 15 Minuten.
digest-refusal-never = Diesen Tag gibt es in den nächsten zehn Jahren nicht. Nenne bitte einen anderen.
digest-refusal-over = Alle diese Zeiten sind schon vorbei.
digest-refusal-unknown-channel = Ich sehe keinen Kanal { $channel }. Lade mich ein und frage noch mal.
digest-refusal-bot-not-there = Ich bin nicht in { $channel }. Lade mich dort ein und frage noch mal.
digest-refusal-not-allowed = Ich darf in { $channel } nicht arbeiten.
digest-refusal-asker-not-there = Du bist nicht in { $channel }. Tritt bei und frage noch mal.
digest-refusal-team-full = Dieser Workspace hat { $n } Digests. Mehr darf ich nicht führen.
digest-refusal-place-full = { $channel } hat { $n } Digests. Mehr darf ich dort nicht führen.
digest-refusal-person-full = Du hast { $n } Digests. Mehr darf ich für eine Person nicht führen.
digest-refusal-not-yours = Digest { $n } können nur { $who } (hat ihn bestellt) und Admins ändern.
digest-refusal-not-yours-yet = Das kann nur { $who } entscheiden (hat ihn bestellt).
digest-refusal-not-there = Diesen Digest gibt es nicht. „Zeige die Digests“ zeigt alle.
digest-refusal-which = Welchen meinst du? Nenne ihn bei seiner Nummer:
digest-refusal-already-running = Digest { $n } wird gerade erstellt.
digest-refusal-press-again = Das hat zu lange gedauert. Bitte drücke noch einmal auf den Knopf.
digest-button-confirm = Bestätigen
digest-button-change = Ändern
digest-button-cancel = Abbrechen
digest-button-pause = Pausieren
digest-button-resume = Fortsetzen
digest-button-run = Jetzt ausführen
digest-button-edit = Bearbeiten
digest-button-delete = Löschen
digest-button-new = Neuer Digest
digest-listed = Digests
digest-more = Und { $n } weitere. Nenne einen bei seiner Nummer: „bearbeite Digest 21“.
digest-none = Hier gibt es keine Digests. Bestelle einen, zum Beispiel: „poste jeden Werktag um 9 einen Digest über Batteriespeicher in #energie“.
digest-paused = Digest { $n } (*{ $task }*) pausiert. „Setze Digest { $n } fort“ startet ihn wieder.
digest-resumed = Digest { $n } (*{ $task }*) geht weiter. Nächste: { $next }
digest-deleted = Digest { $n } (*{ $task }*) ist gelöscht. Was er gepostet hat, bleibt.
digest-started = Digest { $n } (*{ $task }*) wird jetzt erstellt.
digest-changed = Digest { $n } ist geändert: *{ $task }*
    { $when }, in { $channel }
    Nächste: { $next }
digest-is-paused = pausiert
digest-is-paused-because = pausiert: { $why }
digest-is-over = vorbei
digest-next-is = nächster: { $next }
digest-why-failing = er ist dreimal hintereinander gescheitert
digest-why-owner-left = wer ihn bestellt hat, ist nicht mehr im Kanal oder im Workspace
digest-why-place-closed = sein Kanal ist archiviert oder weg
digest-why-not-in-place = ich bin nicht mehr in seinem Kanal
digest-why-may-not-post = ich darf in seinem Kanal nicht posten
digest-form-title = Digest
digest-form-task = Worum geht es?
digest-form-channel = In welchem Kanal?
digest-form-news = Wenn es nichts Neues gibt
digest-news-post = Trotzdem posten
digest-news-say-so = In einer Zeile sagen
digest-news-silent = Nichts posten
digest-form-save = Speichern
digest-first = Das ist der erste.
digest-news-since = Neu seit { $when }: { $count } von { $of }.
digest-no-news-since = Nichts Neues seit { $when }.
digest-late = Verspätet: fällig war { $when }.
digest-left-out = { $n ->
    [one] { $n } früherer wurde ausgelassen.
   *[other] { $n } frühere wurden ausgelassen.
 }
digest-new-mark = neu
digest-by-hand = Auf Wunsch erstellt, neben den üblichen Zeiten.
digest-footer = Digest { $n } · { $when } · bestellt von { $who } · antworte hier, um weiterzumachen
digest-failed = Digest { $n } (*{ $task }*) ist diesmal nicht gelungen. Ich versuche es wieder.
digest-paused-because = Digest { $n } (*{ $task }*) pausiert: { $why }. „Setze Digest { $n } fort“ startet ihn wieder.
digest-reads = Ich lese dafür, was in { $reads } gepostet wird.
digest-reads-not = Ich darf { $reads } nicht lesen. Solange ich dort nicht eingeladen bin, sagt der Digest nur das.
digest-agree = Drücke auf „Bestätigen“ oder antworte „ja“, wenn es so sein soll.
digest-away = Das kann ich gerade nicht lesen. Wenn du einen Digest willst, geht es auch mit einem Formular.
digest-form-days = An welchen Tagen?
digest-form-time = Um wie viel Uhr? Zum Beispiel 09:00 ({ $zone })
digest-form-time-unclear = Bitte schreibe die Uhrzeit als 09:00.
