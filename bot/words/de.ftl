# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.

## Digests

digest-understood = *{ $task }*
    { $when }, in { $channel }
    Nächste: { $next }
digest-only-news = Ich poste nur, wenn es etwas Neues gibt.
digest-says-no-news = Gibt es nichts Neues, sage ich das in einer Zeile.
digest-shall-i = Soll ich das so machen?
digest-repeats = Digest { $n }, bestellt von { $who }, handelt vom Gleichen: *{ $task }*
    { $when }, in { $channel }
digest-in-private = unseren Direktnachrichten
digest-ask-time = Um wie viel Uhr? Zum Beispiel „um 9:00“ (deine Zeitzone ist { $zone }).
digest-ask-day = An welchen Tagen? Zum Beispiel „jeden Montag um 9:00“.
digest-ask-task = Worum soll es in dem Digest gehen?
digest-ask-channel = In welchem Kanal? Nenne bitte nur einen, zum Beispiel „in #news“.
digest-scheduled = Eingeplant als Digest { $n }, bestellt von { $who }: *{ $task }*
    { $when }, in { $channel }
    Nächste: { $next }
digest-not-scheduled = Nicht eingeplant.
digest-replaced = Ersetzt durch die Fassung weiter unten.
digest-refusal-unreadable = Ich habe nicht verstanden, wann. Zum Beispiel: „jeden Werktag um 9:00“.
digest-refusal-unknown-zone = Diese Zeitzone kenne ich nicht. Zum Beispiel: „9:00 Europe/Berlin“.
digest-refusal-too-often = Das ist zu oft: Ein Digest kommt höchstens alle 15 Minuten.
digest-refusal-never = Diesen Tag gibt es in den nächsten zehn Jahren nicht. Nenne bitte einen anderen.
digest-refusal-over = Alle diese Zeiten sind schon vorbei.
digest-refusal-place-closed = Ich sehe keinen Kanal { $channel }. Lade mich ein und frage noch mal.
digest-refusal-not-in-place = Ich bin nicht in { $channel }. Lade mich dort ein und frage noch mal.
digest-refusal-switched-off = In { $channel } sind Digests ausgeschaltet. Wer den Workspace oder den Kanal verwaltet, kann sie einschalten.
digest-refusal-not-allowed = Ich darf in { $channel } nicht arbeiten.
digest-refusal-owner-left = Du bist nicht in { $channel }. Tritt bei und frage noch mal.
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
digest-button-keep-both = Beide behalten
digest-button-replace = Ersetzen
digest-button-pause = Pausieren
digest-button-resume = Fortsetzen
digest-button-run = Jetzt ausführen
digest-button-edit = Bearbeiten
digest-button-delete = Löschen
digest-from-home = Hier ist der Digest, den du auf meiner Startseite wolltest:
digest-button-new = Neuer Digest
digest-listed = Digests
digest-more = Und { $n } weitere. Nenne einen bei seiner Nummer: „bearbeite Digest 21“.
digest-none = Es gibt noch keine Digests. Bestelle einen, zum Beispiel: „poste jeden Werktag um 9 einen Digest über Batteriespeicher in #energie“.
digest-none-there = In { $channel } gibt es noch keine Digests.
digest-did-pause = Digest { $n } (*{ $task }*) pausiert. „Setze Digest { $n } fort“ startet ihn wieder.
digest-did-resume = Digest { $n } (*{ $task }*) läuft wieder. Nächste: { $next }
digest-did-delete = Digest { $n } (*{ $task }*) ist gelöscht. Was er gepostet hat, bleibt.
digest-did-run = Digest { $n } (*{ $task }*) wird jetzt erstellt.
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
digest-why-switched-off = in seinem Kanal sind Digests ausgeschaltet
digest-why-may-not-post = ich darf in seinem Kanal nicht posten
digest-form-title = Digest
digest-form-task = Worum geht es?
digest-form-channel = In welchem Kanal?
digest-form-news = Wenn es nichts Neues gibt
digest-news-post = Trotzdem posten
digest-news-say-so = In einer Zeile sagen
digest-news-be-silent = Nichts posten
digest-form-save = Speichern
digest-first = Erste Ausgabe.
digest-news-since = Neu seit { $when }: { $count } von { $of }.
digest-no-news-since = Nichts Neues seit { $when }.
digest-late = Verspätet: fällig war { $when }.
digest-left-out = { $n ->
    [one] { $n } früherer wurde ausgelassen.
   *[other] { $n } frühere wurden ausgelassen.
 }
digest-new-mark = neu
digest-by-hand = Sonderausgabe, auf Wunsch erstellt.
digest-footer = Digest { $n } · { $when } · bestellt von { $who } · antworte hier, um mehr zu fragen
digest-failed = Digest { $n } (*{ $task }*) ist diesmal nicht gelungen. Ich versuche es wieder.
digest-paused-because = Digest { $n } (*{ $task }*) pausiert: { $why }. „Setze Digest { $n } fort“ startet ihn wieder.
digest-reads = Ich lese dafür, was in { $reads } gepostet wird.
digest-reads-not = Ich darf { $reads } nicht lesen. Solange ich dort nicht eingeladen bin, sagt der Digest nur das.
digest-refusal-repeats = Drücke bitte oben auf einen der Knöpfe.
digest-away = Das kann ich gerade nicht lesen. Wenn du einen Digest willst, geht es auch mit einem Formular.
digest-form-days = An welchen Tagen?
digest-form-time = Um wie viel Uhr? Zum Beispiel 09:00 ({ $zone })
digest-form-time-unclear = Bitte schreibe die Uhrzeit als 09:00.
## Progress and answers

progress-working = Ich bin dran
progress-ended-done = Fertig in { $time }
progress-ended-early = { $time } daran gearbeitet
progress-pages-read =
    { $n ->
        [one] { $n } Seite gelesen
       *[other] { $n } Seiten gelesen
    }
progress-earlier-steps =
    { $n ->
        [one] { $n } früherer Schritt
       *[other] { $n } frühere Schritte
    }
progress-more-steps = und { $n } weitere
progress-trying-again = Mein Sprachmodell antwortet nicht; ich versuche es noch einmal
progress-model-away = Mein Sprachmodell ist nicht zu erreichen; ich versuche es noch bis { $time }. „stopp“ beendet es.
progress-model-back = Mein Sprachmodell war nicht zu erreichen und antwortet wieder
progress-model-gone = Mein Sprachmodell war nicht zu erreichen
progress-thinking = Ich denke nach
progress-answer-now = Antworte mit dem bisher Gefundenen
progress-no-answer = Ich habe darauf keine Antwort.
progress-failure = Etwas ist schiefgegangen, und ich konnte das nicht abschließen.
progress-reference = Kennung: { $what }
progress-no-file = Ich konnte { $what } nicht anhängen.
progress-whole-answer = Die Antwort ist lang; der Rest steht in der angehängten Datei.
progress-sources = Quellen:
progress-picture-of = Erste Seite von „{ $what }“
progress-not-in-thread = Im Thread konnte ich nicht antworten, daher hier.
progress-took-in = { $who }: „{ $what }“ — aufgenommen
progress-changed = { $who } hat die Aufgabe geändert: „{ $old }“ → „{ $new }“
progress-took-in-late = { $who }: „{ $what }“ — zu spät für den Bericht; sag „weiter“, dann arbeite ich es ein
progress-failed = Das ging nicht; ich mache ohne weiter
progress-stopped = Nicht freigegeben
progress-cut = Nicht fertig geworden
progress-line = ist dran · { $time }
progress-line-looking = sieht es sich an
progress-waiting = Warte auf eine Antwort
progress-waiting-for = Warte auf { $who }
progress-writing = Schreibe: { $what }
progress-writing-answer = Schreibe die Antwort
progress-report-ahead = Bereite den Bericht vor
progress-stop = „{ $what }“ anhalten
progress-stop-late = Hier gibt es nichts mehr anzuhalten: Dieser Teil ist schon zu Ende.
progress-stop-branch = { $who } hat diesen Teil angehalten
progress-done-branch = { $who } hat diesen Teil als erledigt markiert
progress-retry-branch = { $who } will diesen Teil noch einmal
progress-unsure = vielleicht geschehen, vielleicht nicht
progress-purpose-check-accounts = Prüfe die verbundenen Konten
progress-purpose-look-back = Sehe frühere Arbeiten durch
progress-purpose-mend-post = Ändere, was ich geschrieben habe
progress-purpose-read-channel = Lese, was in { $what } geschrieben wurde
progress-purpose-find-tools = Suche die passenden Apps
progress-purpose-read-file = Lese das Material durch
progress-purpose-read-pages = Lese { $what } und { $n } weitere
progress-purpose-read-page = Lese { $what }
progress-purpose-use-app = Arbeite mit { $what }
progress-purpose-run-code = Arbeite mit den Daten
progress-purpose-save-sources = Sichere die Quellen
progress-purpose-search-news = Durchsuche die Nachrichten nach { $what }
progress-purpose-search-sources = Durchsuche die Quellen nach { $what }
progress-purpose-search-web = Suche im Web nach { $what }
progress-purpose-upload-file = Übergebe eine Datei
progress-purpose-use-tool = Ich bin dran
progress-purpose-write-file = Schreibe es auf
progress-purpose-write-report = Schreibe den Bericht

## A question about a post, from its menu

ask-title = Frag den Agenten
ask-what = Was möchtest du wissen?
ask-hint = Leer gelassen: worum es geht und was zu tun ist.
ask-told = { $who } fragt dazu:
ask-default = Worum geht es hier, und was ist zu tun?
ask-about = Zur Nachricht von { $who }: „{ $what }“
ask-which = es geht um das, was { $who } um { $at } geschrieben hat
ask-app = eine App
ask-not-there = Dort kann ich nicht antworten: Ich bin nicht in dem Kanal, oder er ist archiviert. Lade mich ein und versuch es noch einmal.
ask-again = Das hat zu lange gedauert. Versuch es bitte noch einmal, oder erwähne mich im Thread.

## Its own posts

surface-corrected = (berichtigt, auf Wunsch von { $who })

## Questions

question-choose = Wähle etwas aus oder schreib deine Antwort.
question-answer-by = Ich warte auf deine Antwort bis { $when }.
question-other = Etwas anderes…
question-form-title = Deine Antwort
question-form-send = Senden
question-form-label = Was soll ich wissen?
question-answered = { $who } hat geantwortet: { $what }
question-default-taken = Niemand hat geantwortet, also habe ich damit weitergemacht: { $what }
question-unanswered = Es kam keine Antwort.
question-default-option = { $what } (mein Vorschlag)
question-over = Zu spät: Diese Frage wurde beantwortet, oder ich habe ohne Antwort weitergemacht.
question-not-yours = Das habe ich { $who } gefragt, und nur { $who } kann hier antworten. Im Thread kannst du jederzeit schreiben.
question-write-it = Das Formular ließ sich gerade nicht öffnen. Bitte schreib deine Antwort in den Thread.

## Approvals and connections

consent-conjunction = und
consent-asked = { $who } hat darum gebeten. Ich tue es erst nach einer Freigabe:
consent-with-account = mit dem Konto { $account }
consent-reaches =
    { $n ->
        [one] Erreicht { $n } Empfänger: { $whom }
       *[other] Erreicht { $n } Empfänger: { $whom }
    }
consent-language = de
consent-no-zone = ohne Zeitzone: die App entscheidet
consent-no-arguments = Ohne Angaben.
consent-along = Geschieht im selben Zug und braucht keine Freigabe: { $what }
consent-more = und { $n } weitere
consent-tainted = In diesem Thread habe ich Text von außen gelesen. Er kann das verlangt haben.
consent-owner-only = An dieser Arbeit haben mehrere mitgeschrieben. Darum entscheidet hier nur { $who }, und jedes Mal neu.
consent-until = Ich warte bis { $when }.
consent-in-file = Alles steht in der Datei `{ $file }` oben.
consent-fingerprint = Fingerabdruck `{ $digest }`
consent-not-shown = Ich konnte nicht alles zeigen, daher kann es niemand freigeben. Es lässt sich nur ablehnen.
consent-sent-shown = Im Anhang, und hierüber zu sehen: { $files }.
consent-sent-hidden = Was mitgeschickt würde, kann ich dir nicht zeigen, darum lässt es sich nicht freigeben: { $files }.
consent-button-approve = Freigeben
consent-button-approve-thread = Für diesen Thread freigeben
consent-button-reject = Ablehnen…
consent-button-edit = Ändern…
consent-button-details = Alle Details
consent-button-link = Meinen Link zeigen
consent-button-skip = Überspringen
consent-button-check = Ich habe es verbunden
consent-decided-approved = Freigegeben von { $who }, { $when }
consent-decided-approved-thread = Für diesen Thread freigegeben von { $who }, { $when }
consent-decided-rejected = Abgelehnt von { $who }, { $when }
consent-decided-rejected-because = Abgelehnt von { $who }, { $when }: „{ $reason }“
consent-decided-expired = Niemand hat rechtzeitig entschieden, daher ist es nicht geschehen.
consent-decided-overtaken = Nicht getan: Vorher wurde die Arbeit angehalten oder etwas Neues geschrieben.
consent-decided-replaced = Ersetzt durch die Anfrage weiter unten.
consent-decided-void = Es ist nicht geschehen: Was zu tun war, hat sich geändert, daher passt keine Freigabe.
consent-decided-edited = Geändert von { $who }, { $when }
consent-changed = Geändert: { $what } „{ $before }“ → „{ $after }“
consent-changed-text = Geändert: { $what }, wie unten
consent-reason-title = Ablehnen
consent-reason-label = Warum?
consent-reason-hint = Der Agent liest das und darf den geänderten Schritt einmal anbieten.
consent-cancel = Abbrechen
consent-close = Schließen
consent-edit-title = Vorher ändern
consent-edit-save = Speichern
consent-part-to = An
consent-part-cc = Kopie
consent-part-bcc = Blindkopie
consent-part-subject = Betreff
consent-part-body = Text
consent-part-attachment =
    { $n ->
        [one] Anhang
       *[other] Anhänge
    }
consent-part-title = Titel
consent-part-start = Beginn
consent-part-end = Ende
consent-part-zone = Zeitzone
consent-part-people = Eingeladen
consent-part-place = Ort
consent-part-about = Beschreibung
consent-part-channel = Kanal
consent-part-text = Nachricht
consent-part-answer = Meine Antwort beginnt
consent-part-report = Ihr Bericht
consent-part-asked = Gefragt
consent-part-correction = Danach steht dort
consent-own-remove = Eine Antwort von mir endgültig entfernen
consent-own-correct = Eine Antwort von mir berichtigen
consent-own-account = In diesem Thread sagen, welche Konten du verbunden hast und was du genutzt hast
consent-own-read = In diesem Thread erzählen, was in einem Kanal steht, den du lesen darfst
consent-to-connect = Warte bis { $when } darauf, dass { $who } { $what } verbindet.
consent-link = Verbinde { $what }, damit ich weitermachen kann. Der Link ist nur für dich: Wer ihn öffnet, verbindet das eigene Konto in deinem Namen.
consent-connect = { $what } verbinden
consent-ended-connected =
    { $n ->
        [one] { $what } verbunden von { $who }
       *[other] { $what } verbunden von { $who }
    }
consent-ended-skipped =
    { $n ->
        [one] { $who } hat die Verbindung mit { $what } übersprungen
       *[other] { $who } hat die Verbindung mit { $what } übersprungen
    }
consent-ended-expired =
    { $n ->
        [one] { $what } wurde nicht rechtzeitig verbunden
       *[other] { $what } wurden nicht rechtzeitig verbunden
    }
consent-ended-overtaken =
    { $n ->
        [one] { $what } wurde nicht verbunden: Es wurde angehalten oder ging mit einer neuen Nachricht weiter
       *[other] { $what } wurden nicht verbunden: Es wurde angehalten oder ging mit einer neuen Nachricht weiter
    }
consent-refusal-not-yours = { $n ->
    [one] Das kann nur { $who } entscheiden.
   *[other] Das muss jemand von diesen entscheiden: { $who }.
 }
consent-refusal-not-your-words = Nur { $who } kann den Wortlaut ändern; du kannst zustimmen oder ablehnen.
consent-refusal-not-your-link = Nur { $who } kann hier ein Konto verbinden oder es überspringen.
consent-refusal-busy = Ich lese gerade, was eben geschrieben wurde. Bitte drück gleich noch einmal.
consent-refusal-over = Dafür ist es zu spät: Das hier ist vorbei.
consent-refusal-decided = Das ist schon entschieden.
consent-refusal-unknown = Davon weiß ich hier nichts, daher habe ich nichts getan.
consent-refusal-no-link = Ich bekomme gerade keinen Link. Drücke gleich „Meinen Link zeigen“.
consent-refusal-tainted = In diesem Thread wurde inzwischen Text von außen gelesen, daher wird jeder Schritt einzeln entschieden. Bitte drücke „Freigeben“ oder „Ablehnen“.
consent-refusal-press-again = Das ging gerade nicht. Bitte drücke noch einmal.
consent-refusal-not-connected-yet = Es scheint noch nicht verbunden zu sein. Ich sehe weiter nach.
consent-refusal-not-editable = Das lässt sich hier nicht mehr ändern. Lehne es ab und sag, was anders sein soll.

## Ingress: what is said to people whose message is not simply answered

ingress-parked = Bei mir ist etwas schiefgegangen. Ich habe deine Nachricht und versuche es weiter; du musst sie nicht noch einmal schicken.
ingress-begun = Ich hatte schon angefangen; schreib die Korrektur bitte als neue Nachricht.
ingress-refusal-unknown-user = Ich konnte nicht herausfinden, wer du in Slack bist, und kann daher nicht für dich arbeiten.
ingress-refusal-guest = Du bist hier als Gast, und ich kann nur für volle Mitglieder dieses Workspace arbeiten.
ingress-refusal-stranger = Du gehörst zu einem anderen Workspace, und ich kann nur für Mitglieder von diesem arbeiten.
ingress-refusal-channel-not-listed = In dieser Unterhaltung darf ich nicht arbeiten.
ingress-refusal-user-not-listed = Du stehst nicht auf der Liste der Personen, für die ich arbeiten darf.
ingress-in-vain = Das ging gerade nicht. Bitte versuch es gleich noch einmal.
ingress-left-out-too-big = Ich habe “{$name}” weggelassen: größer als {$max_mb} MB.
ingress-left-out-not-given = Ich habe “{$name}” weggelassen: Slack hat mich nicht herunterladen lassen.
ingress-left-out-not-saved = Ich habe “{$name}” weggelassen: Die Datei ließ sich nicht sichern.
ingress-left-out-gone = Ich habe “{$name}” weggelassen: Die Datei wurde in Slack inzwischen gelöscht.
ingress-left-out-rest = Am Rest deiner Nachricht arbeite ich.
ingress-late = Ich war weg, als diese Nachrichten vor mehr als einem Tag kamen, und habe sie nicht beantwortet. Wenn eine noch wichtig ist, frag mich bitte noch einmal.
ingress-late-more = … und {$count} ältere.

## Home and the slash command

home-intro = Ich schlage nach, lese, vergleiche, schreibe Berichte und arbeite in euren Apps, für dich und dein Team. Erwähne mich in einem Kanal oder schreib mir hier.
home-waiting = Wartet auf dich
home-waits-question = Eine Frage
home-waits-approval = Eine Freigabe
home-waits-connection = Ein Konto zum Verbinden
home-sessions = Deine Threads
home-no-sessions = Noch nichts. Erwähne mich in einem Kanal oder schreib mir hier.
home-more = und { $n } weitere
home-stop = Stoppen
home-no = Behalten
home-delete = Dateien löschen
home-delete-sure = Alle Dateien dieses Threads werden endgültig gelöscht. Die Beiträge bleiben.
home-deleted = Die Dateien dieses Threads sind gelöscht.
home-not-deleted = In diesem Thread wird noch gearbeitet, oder er ist rechtlich gesperrt; darum habe ich nichts gelöscht. Stoppe zuerst die Arbeit.
home-not-yours = Das kann nur die Person, die diesen Thread begonnen hat.
home-stopped = Gestoppt. Was bisher gefunden wurde, steht im Thread.
home-nothing-running = Ich arbeite gerade an nichts für dich.
home-nothing-here = In diesem Kanal arbeite ich gerade an nichts für dich.
home-in-private = in einem privaten Gespräch
home-accounts = Verbundene Konten
home-no-accounts = Es ist kein Konto verbunden.
home-connect = App verbinden
home-disconnect = Trennen
home-disconnect-sure = Ich kann { $what } dann in keinem Thread mehr für dich benutzen.
home-disconnected = { $what } ist getrennt.
home-apps-away = Deine Konten lassen sich gerade nicht abrufen. Versuch es gleich noch einmal.
home-this-month = Diesen Monat
home-usage =
    { $n ->
        [one] { $n } Anfrage
       *[other] { $n } Anfragen
    }, { $reports ->
        [one] { $reports } Bericht
       *[other] { $reports } Berichte
    }, { $pages ->
        [one] { $pages } gelesene Seite
       *[other] { $pages } gelesene Seiten
    }, { $minutes ->
        [one] { $minutes } Minute Arbeit
       *[other] { $minutes } Minuten Arbeit
    }
home-usage-tokens = { $usage }, { $tokens } Tokens, { $cost } $
home-usage-unpriced = { $usage } (ohne { $n } Aufrufe von Modellen, deren Preis ich nicht kenne)
home-recent = { $simple } % der Anfragen wurden sofort beantwortet ({ $fallbacks } % der schnellen Antworten wurden verworfen), die Hälfte in höchstens { $half } s, 95 % in höchstens { $most } s. { $errors } % der Zugriffe auf Apps und das Netz schlugen fehl.
home-preferences = Einstellungen
home-language = Sprache meiner Antworten an dich
home-language-auto = Die Sprache, in der du schreibst
home-digest-time = Übliche Uhrzeit neuer Digests
home-erase = Alles über mich löschen
home-erase-what = *Deine Daten:* Threads, die du begonnen hast, gehen mit ihren Dateien. In Threads, die andere begonnen haben, geht, was du gefragt hast, und alles, was ich dort geschrieben und gemacht habe. Auch deine Digests, Einstellungen und Bewertungen gehen. Beiträge in Slack, Konten bei Composio, Sicherungen und was rechtlich gesperrt ist, bleiben, und das Protokoll behält Kennungen.
home-erase-sure = Ich stoppe, was mit deinen Worten arbeitet, und lösche endgültig, was ich von dir habe. Beiträge in Slack, Konten bei Composio, ältere Sicherungen und rechtlich Gesperrtes bleiben.
home-erased =
    Gelöscht: was ich von dir in { $n ->
        [one] { $n } Thread
       *[other] { $n } Threads
     } hatte, und deine Digests und Einstellungen. { $left ->
        [0] Beiträge in Slack, Konten bei Composio und ältere Sicherungen bleiben.
       *[other] In { $left } weiteren habe ich nichts gelöscht: sie sind rechtlich gesperrt, oder es wurde dort gearbeitet. Beiträge in Slack, Konten bei Composio und ältere Sicherungen bleiben.
     }
home-team = Einstellungen für Admins
home-follow-ups = Antworten auf Nachrichten, die mich nicht erwähnen
home-channel = Kanal wählen
home-follow-ups-meant = Wenn sie für mich gedacht ist
home-follow-ups-two-party = In Threads zwischen einer Person und mir
home-follow-ups-mention = Nie ohne Erwähnung
home-buttons = Ändern kannst du das auf meinem Home-Tab.
home-help = Erwähne mich in einem Kanal oder schreib mir, und ich lege los. Hier kannst du abrufen:
    `{ $command } status` · woran ich für dich arbeite
    `{ $command } stop` · meine Arbeit für dich in diesem Kanal beenden
    `{ $command } schedules` · deine Digests
    `{ $command } connections` · deine verbundenen Konten
    `{ $command } usage` · was du diesen Monat verbraucht hast
    `{ $command } help` · diese Liste
home-unknown = „{ $command } { $what }“ kenne ich nicht. „{ $command } help“ zeigt, was es gibt; für eine Frage oder Aufgabe erwähne mich in einem Kanal oder schreib mir.
home-state-queued = wartet, bis es dran ist
home-state-running = in Arbeit
home-state-waiting = wartet auf eine Antwort
home-state-answered = beantwortet
home-state-limited = vorzeitig beendet
home-state-stopped = gestoppt
home-state-failed = fehlgeschlagen
home-prompt-report = Schreib einen ausführlichen Bericht darüber, wie Chatbots zuverlässig bleiben
home-prompt-compare = Vergleiche Wärmepumpen, Batteriespeicher und Windkraft
home-prompt-news = Was gibt es Neues zu Batterien im Stromnetz?
home-prompt-again = Was gibt es Neues zu „{ $what }“?
home-prompt-digest = Poste hier jeden Werktag um 9 Uhr einen Digest zu Batteriespeichern

## Feedback on answers

feedback-up = Gute Antwort
feedback-down = Schlechte Antwort
feedback-thanks = Danke, ist notiert.

## The live view

live-button = Live-Ansicht öffnen
live-link = <{ $url }|Live-Ansicht dieses Threads öffnen>. Der Link ist nur für dich, geht einmal und gilt 10 Minuten.
live-enter = Als { $name } öffnen
live-off = Die Live-Ansicht ist gerade aus.
live-how = Diese Seite ist privat. Drücke in Slack „Live-Ansicht öffnen“ unter einem Fortschrittsbeitrag: Du bekommst einen eigenen Link.
live-over = Dieser Link wurde schon benutzt oder ist älter als 10 Minuten. Drücke in Slack „Live-Ansicht öffnen“, dann bekommst du einen neuen.
live-not-yours = Diese Live-Ansicht ist für Mitglieder dieses Workspace, die den Thread sehen können.
live-not-from-here = Nur Seiten dieser Adresse bekommen eine Antwort.
live-no-file = Diese Datei gibt es nicht.
live-away = Das geht gerade nicht. Bitte versuche es noch einmal.
live-asked = { $who } hat in der Live-Ansicht gefragt:
live-wrote = { $who } hat in der Live-Ansicht geschrieben:
live-picked = { $who } fragt:
live-picked-before = Das wurde schon gefragt: siehe weiter unten in diesem Thread.
live-again = Bitte mach diesen Teil noch einmal.
live-unreadable = Diese Nachricht ist nicht zu lesen.
live-empty = Da steht nichts.
live-too-long = Das ist zu lang: Es dürfen { $max } Zeichen sein.
live-only-look = Du kannst hier mitlesen, aber nichts tun.
live-too-fast = Das war viel auf einmal. Bitte versuche es in ein paar Sekunden noch einmal.
live-no-change = Das würde hier nichts ändern.
live-not-asked = Auf diese Antwort wartet niemand mehr.
live-question-not-yours = Das habe ich { $who } gefragt, und nur { $who } kann es beantworten.
live-not-there = Dieser Teil der Arbeit ist zu Ende, oder es gibt ihn nicht.
setting-proposal = Das würde von da an gelten:
    { $wanted }
    Jetzt gilt:
    { $now }
    Es ändert sich nichts, bis ein Admin oder wer den Kanal verwaltet den Knopf drückt.
setting-agree = So einstellen
setting-changed = { $who } hat geändert, wie ich arbeite:
    { $values }
setting-name = { $name ->
    [instructions] Wie ich antworte
    [model] Modell
    [tools] Was ich benutzen darf
    [follow_ups] Antworten ohne Erwähnung
    [budget] Budget im Monat
    [guests] Gäste des Workspace
    [digests] Digests
    [approvals] Was etwas bewirkt
    [cite_or_stay_silent] Antworten ohne Quelle
    [footer] Seiten, Zeit und Kosten unter einer Antwort
    [keep_workspaces_days] Dateien bleiben
    [keep_transcripts_days] Verläufe bleiben
   *[keep_reports_days] Berichte bleiben
    }
setting-value = { $case ->
    [instructions-] in der Sprache und Länge, die passen
    [model-main] das große
    [model-small] das kleine
    [tools-all] alle
    [follow_ups-meant] wenn sie mir gelten
    [follow_ups-two_party] in Threads von einer Person und mir
    [follow_ups-mention] nie
    [budget-] ohne Grenze
    [guests-true] dürfen mich fragen
    [guests-false] dürfen mich nicht fragen
    [digests-true] dürfen bestellt werden
    [digests-false] dürfen nicht bestellt werden
    [approvals-policy] wie es die Regeln sagen
    [approvals-ask] erst nach Rückfrage
    [approvals-refuse] nie
    [cite_or_stay_silent-true] werden zurückgehalten
    [cite_or_stay_silent-false] werden gegeben
    [footer-true] stehen dort
    [footer-false] stehen nicht dort
    [keep_workspaces_days-] für immer
    [keep_transcripts_days-] für immer
    [keep_reports_days-] für immer
    [days] { $value } Tage
    [budget] { $value } $
   *[other] { $value }
    }
setting-line = • *{ setting-name }*: { $value } · _{ $origin ->
    [default] wie üblich
    [environment] aus meiner Konfiguration
    [team] für das ganze Team
    [channel] für diesen Kanal
    [thread] für diesen Thread
   *[file] aus der Datei meines Betreibers, die vorgeht
    }_
setting-not-yours = { $who ->
    [NOBODY] Das kann nur ein Admin des Workspace ändern. Bitte einen darum, es mir zu sagen oder den Knopf zu drücken.
   *[other] Das können nur <@{ $who }>, zuständig für diesen Kanal, und Admins des Workspace ändern. Bitte jemanden davon, es mir zu sagen oder den Knopf zu drücken.
    }
setting-in-file = *{ setting-name }* steht in der Datei meines Betreibers, und die geht vor. Wer mich betreibt, kann es dort ändern.
setting-unknown = Eine Einstellung *{ $name }* gibt es nicht. Meinst du *{ $near }*?
setting-wrong = *{ setting-name }* kann diesen Wert nicht haben. „Was ist hier eingestellt?“ zeigt, was jetzt gilt.

why = { $state ->
    [queued] Ich habe es und arbeite daran, sobald das erledigt ist, was im Thread davor kam.
    [running] Ich arbeite gerade daran.
    [waiting] Ich warte im Thread darauf, dass jemand entscheidet oder antwortet.
    [answered] Ich habe im Thread geantwortet.
    [limited] Ich habe im Thread mit dem geantwortet, was ich hatte, als eine Grenze erreicht war.
    [stopped] Jemand hat die Arbeit daran gestoppt.
    [failed] Ich konnte es nicht und habe das im Thread gesagt.
    [steered] Es kam, während ich im Thread schon arbeitete, und wurde Teil dieser Arbeit.
    [set_aside] Ich habe es beiseitegelegt: Jedes Mal, wenn ich daran arbeitete, bin ich abgestürzt. Bitte frag anders.
    [received] Ich habe es bekommen und sehe es mir an, sobald ich kann.
    [settled] Ich habe es gleich erledigt: Es ging um einen Digest oder einen Stopp, oder es wurde gelöscht.
    [not_ours] Es war nicht für mich: Es erwähnt mich nicht, und an seinem Thread bin ich nicht beteiligt.
    [mention_only] Hier antworte ich nur, wenn ich erwähnt werde.
    [two_party] In einem Thread mit mehreren Leuten antworte ich hier nur, wenn ich erwähnt werde.
    [reaction] Es war ein Dank, ein Lachen oder Ähnliches; darauf antworte ich nicht.
    [others] In einem Thread mit mehreren Leuten las es sich, als sei jemand anderes gemeint. Mit einer Erwähnung ist es sicher.
    [unknown_user] Ich konnte nicht herausfinden, wer es geschrieben hat.
    [guest] Geschrieben hat es ein Gast, und ich darf nur für volle Mitglieder arbeiten.
    [stranger] Wer es geschrieben hat, gehört zu einem anderen Workspace.
    [deactivated] Das Konto, von dem es kam, ist deaktiviert.
    [channel_not_listed] In dieser Unterhaltung darf ich nicht arbeiten.
    [user_not_listed] Wer es geschrieben hat, steht nicht auf der Liste der Leute, für die ich arbeiten darf.
    [bot] Eine App hat es geschrieben, und Posts von Apps lasse ich in Ruhe.
    [heard] Ich habe zugehört, als es kam, und es war nicht für mich: keine Erwähnung, kein Thread von mir. Was älter als eine Woche ist, weiß ich nicht mehr.
    [others_post] Das sage ich nur der Person, die die Nachricht geschrieben hat.
   *[unheard] Ich habe es nicht gesehen. Vielleicht bin ich nicht in dem Channel oder lief nicht; was ich verpasst habe, lese ich nach, sobald ich wieder laufe.
}

## Money

answer-pages = { $n ->
    [one] eine Seite
   *[other] { $n } Seiten
 }
cap-near = { $kind ->
    [person] { $who } hat
    [thread] Ein Thread in { $who } hat
    [channel] { $who } hat
   *[team] Dieser Workspace hat
 } mehr als 80 % des Budgets dieses Monats von { $usd } ausgegeben. Ist es aufgebraucht, schließe ich Laufendes mit dem ab, was ich habe, und übernehme bis zum nächsten Monat nichts Neues, wenn das Budget nicht erhöht wird.
