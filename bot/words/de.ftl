# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.

## Progress and answers

progress-working = Ich bin dran
progress-ended-done = Fertig in { $time }
progress-ended-limited = An einer Grenze angehalten nach { $time }
progress-ended-stopped = Angehalten nach { $time }
progress-ended-failed = Gescheitert nach { $time }
progress-tool-calls =
    { $n ->
        [one] { $n } Werkzeugaufruf
       *[other] { $n } Werkzeugaufrufe
    }
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
progress-trying-again = Das Modell ist ausgelastet; neuer Versuch
progress-thinking = Überlege den nächsten Schritt
progress-no-answer = Ich habe darauf keine Antwort.
progress-failure = Etwas ist schiefgegangen, und ich konnte das nicht abschließen.
progress-reference = Kennung: { $what }
progress-no-file = Ich konnte { $what } nicht anhängen: { $why }.
progress-file-refusal-no-uploads = In diesem Workspace ist das Hochladen von Dateien abgeschaltet
progress-file-refusal-no-room = In diesem Workspace ist kein Platz mehr für Dateien
progress-file-refusal-no-such-type = Dateien dieser Art sind in diesem Workspace nicht erlaubt
progress-file-refusal-too-big = Die Datei ist größer, als dieser Workspace erlaubt
progress-file-refusal-no-scope = Ich darf in diesem Workspace keine Dateien hochladen
progress-file-refusal-other = Slack hat die Datei nicht angenommen
progress-file-refusal-not-public = Die Datei ist nicht zum Weitergeben bestimmt
progress-file-refusal-unreadable = Die Datei lässt sich nicht lesen
progress-file-refusal-not-plain = Die Datei ist keine gewöhnliche Datei
progress-file-refusal-empty = Die Datei ist leer
progress-file-refusal-too-big-for-us = Die Datei ist größer als 50 MB
progress-whole-answer = Die Antwort ist lang; der Rest steht in der angehängten Datei.
progress-not-in-thread = Im Thread konnte ich nicht antworten, daher hier.
progress-waiting-answer = Warte auf die Antwort von { $who }
progress-waiting-approval = Warte auf die Entscheidung von { $who }
progress-waiting-connection = Warte darauf, dass { $who } { $what } verbindet
progress-asked-answer = Rückfrage an { $who } nach { $time }
progress-asked-approval = Um Freigabe durch { $who } gebeten nach { $time }
progress-asked-connection = { $who } gebeten, { $what } zu verbinden, nach { $time }
progress-choose = Antworte mit einer Zahl oder in eigenen Worten.
progress-answer-by = Ich warte auf deine Antwort bis { $when }.
progress-took-in = Nachricht von { $who } aufgenommen: { $what }
progress-answered-by = { $who } hat geantwortet: { $what }
progress-unsure = vielleicht geschehen, vielleicht nicht
progress-unsure-steps =
    { $n ->
        [one] { $n } Schritt ist vielleicht geschehen, vielleicht nicht
       *[other] { $n } Schritte sind vielleicht geschehen, vielleicht nicht
    }
progress-purpose-ask-agent = Frage { $what }
progress-purpose-ask-report-expert = Frage den Berichtsexperten
progress-purpose-ask-user = Stelle eine Rückfrage
progress-purpose-check-accounts = Prüfe die verbundenen Konten
progress-purpose-find-tools = Suche die passenden Werkzeuge
progress-purpose-list-files = Sehe die Dateien durch
progress-purpose-read-file = Lese { $what }
progress-purpose-read-pages = Lese { $n } Seiten
progress-purpose-run-code = Arbeite mit den Daten
progress-purpose-save-sources = Sichere die Quellen
progress-purpose-search-news = Durchsuche die Nachrichten nach { $what }
progress-purpose-search-sources = Durchsuche die Quellen nach { $what }
progress-purpose-search-web = Suche im Web nach { $what }
progress-purpose-upload-file = Übergebe eine Datei
progress-purpose-use-tool = { $what }
progress-purpose-write-file = Schreibe { $what }
progress-purpose-write-report = Schreibe den Bericht

## Approvals and connections

consent-conjunction = und
consent-asked = { $who } hat darum gebeten. Ich tue es erst nach einer Freigabe:
consent-with-account = mit dem Konto { $account }
consent-reaches =
    { $n ->
        [one] Erreicht { $n } Empfänger: { $whom }
       *[other] Erreicht { $n } Empfänger: { $whom }
    }
consent-no-arguments = Ohne Angaben.
consent-along = Geschieht im selben Zug und braucht keine Freigabe: { $what }
consent-more = und { $n } weitere
consent-tainted = In diesem Thread habe ich Text von außen gelesen. Er kann das verlangt haben.
consent-until = Ich warte bis { $when }. Prüfwert `{ $digest }`
consent-in-file = Alles steht in der Datei `{ $file }` darüber. Prüfwert `{ $digest }`
consent-cut = … der Rest steht in der Datei
consent-not-shown = Ich konnte nicht alles zeigen, daher kann es niemand freigeben. Es lässt sich nur ablehnen.
consent-button-approve = Freigeben
consent-button-approve-thread = Für diesen Thread freigeben
consent-button-reject = Ablehnen…
consent-button-link = Meinen Link zeigen
consent-button-skip = Überspringen
consent-button-check = Ich habe es verbunden
consent-decided-approved = Freigegeben von { $who }, { $when }
consent-decided-approved-thread = Für diesen Thread freigegeben von { $who }, { $when }
consent-decided-rejected = Abgelehnt von { $who }, { $when }
consent-decided-rejected-because = Abgelehnt von { $who }, { $when }: „{ $reason }“
consent-decided-expired = Niemand hat rechtzeitig entschieden, daher ist es nicht geschehen.
consent-decided-overtaken = Es ist nicht geschehen: Vorher wurde angehalten, oder es ging mit einer neuen Nachricht weiter.
consent-decided-void = Es ist nicht geschehen: Was zu tun war, hat sich geändert, daher passt keine Freigabe.
consent-reason-title = Ablehnen
consent-reason-label = Warum?
consent-reason-hint = Der Agent liest das und kann es anders machen.
consent-cancel = Abbrechen
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
consent-refusal-not-yours = Das kann nur entscheiden, wer darum gebeten hat oder eigens dafür benannt ist.
consent-refusal-not-your-link = Nur wer darum gebeten hat, kann ein Konto verbinden oder überspringen.
consent-refusal-over = Dafür ist es zu spät: Das hier ist vorbei.
consent-refusal-decided = Das ist schon entschieden.
consent-refusal-unknown = Davon weiß ich hier nichts, daher habe ich nichts getan.
consent-refusal-no-link = Ich bekomme gerade keinen Link. Drücke gleich „Meinen Link zeigen“.
consent-refusal-tainted = In diesem Thread wurde inzwischen Text von außen gelesen, daher wird jeder Schritt einzeln entschieden. Bitte drücke „Freigeben“ oder „Ablehnen“.
consent-refusal-press-again = Das ging gerade nicht. Bitte drücke noch einmal.
consent-refusal-not-connected-yet = Es scheint noch nicht verbunden zu sein. Ich sehe weiter nach.

## Ingress: what is said to people whose message is not simply answered

ingress-parked = Bei mir ist etwas schiefgegangen, daher konnte ich mit deiner Nachricht noch nicht anfangen. Ich habe sie behalten und versuche es weiter; du musst sie nicht noch einmal schicken.
ingress-begun = Ich hatte mit deiner Nachricht schon angefangen; schreib die Korrektur bitte als neue Nachricht.
ingress-refusal-unknown-user = Ich kann nur für Mitglieder dieses Workspace arbeiten, die Slack mich nachsehen lässt.
ingress-refusal-guest = Ich kann nur für volle Mitglieder dieses Workspace arbeiten, und du bist hier als Gast.
ingress-refusal-stranger = Ich kann nur für Mitglieder dieses Workspace arbeiten, und du gehörst zu einem anderen.
ingress-refusal-channel-not-listed = In dieser Unterhaltung darf ich nicht arbeiten.
ingress-refusal-user-not-listed = Du stehst nicht auf der Liste der Personen, für die ich arbeiten darf.
ingress-left-out-too-big = Ich habe “{$name}” weggelassen: größer als {$max_mb} MB.
ingress-left-out-not-given = Ich habe “{$name}” weggelassen: Slack hat mich nicht herunterladen lassen.
ingress-left-out-not-saved = Ich habe “{$name}” weggelassen: Die Datei ließ sich nicht sichern.
ingress-left-out-rest = Am Rest deiner Nachricht arbeite ich.
ingress-late = Als diese Nachrichten eingingen, war ich nicht in Betrieb. Sie sind mehr als einen Tag alt, daher habe ich sie nicht beantwortet. Wenn die Antwort noch wichtig ist, frag mich bitte noch einmal.
ingress-late-more = … und {$count} ältere.
