# What the core says to people. {$slot} is filled in by the code; a message id names its area first.

## Schedules: rules and moments in words

schedule-locale = de
schedule-date = EEEE, d. MMMM y
schedule-moment = ccc, d. MMMM y, HH:mm
schedule-day = ccc d.
schedule-day-month = ccc d. MMMM
schedule-day-year = ccc d. MMMM y
schedule-days-at = { $days } um { $time }
rule-every = { $kind ->
    [day] jeden Tag
    [workday] jeden Werktag
    [weekend] jedes Wochenende
   *[days] jeden { $days }
 }
rule-weeks-apart = alle { $n } Wochen am { $days }
rule-days-apart = alle { $n } Tage
rule-elapsed = { $unit ->
    [HOURLY] { $n ->
        [1] jede Stunde
       *[other] alle { $n } Stunden
     }
   *[MINUTELY] { $n ->
        [1] jede Minute
       *[other] alle { $n } Minuten
     }
 }
rule-workday = Werktag
rule-day = Tag
rule-nth = am { $nth } { $day } jedes Monats
rule-on-nth = am { $nth } { $day }
rule-ordinal = { $n ->
    [1] ersten
    [2] zweiten
    [3] dritten
    [4] vierten
    [5] fünften
    [-1] letzten
    [-2] vorletzten
   *[other] { rule-date }
 }
rule-date = { $n }.
rule-month-day = am { $days } jedes Monats
rule-on-month-day = am { $days }
rule-months-apart = alle { $n } Monate { $on }
rule-yearly = { $n ->
    [1] jedes Jahr am { $day }. { $month }
   *[other] alle { $n } Jahre am { $day }. { $month }
 }
rule-only-in = { $recurrence } im { $months }
rule-times = um { $times } Uhr
rule-until = bis { $day }
rule-starting = ab { $day }
## Ready answers

answer-help =
    Hallo! Stell mir eine Frage oder gib mir eine Aufgabe.

    - Ich antworte aus dem, was ich weiß, oder suche vorher im Web und lese Seiten und Dateien.
    - Für einen Bericht genügt das Thema, etwa „Schreibe einen Bericht über Wärmepumpen in Altbauten“: Er kommt als Datei, mit seinen Quellen.
    - Hänge Dateien an und sag, was damit geschehen soll.
    - „Poste jeden Werktag um 9 einen Überblick über Batteriespeicher“ bestellt einen Digest; „Digests“ listet sie auf.
    - In diesem Thread genügt ein Wort: Deine Antwort führt von hier weiter, und „weiter“ nimmt auf, was nicht fertig ist.
answer-thanks = Gern geschehen!
answer-agreed = Danke! Bitte entscheide über meine Anfrage oben mit ihren Knöpfen; nur ein Klick zählt.
answer-aside-later = Darum kann ich mich kümmern, sobald über meine Anfrage oben entschieden ist. Soll sie anders sein, schreib einfach, was zu ändern ist.
answer-nothing-running = Ich arbeite hier gerade an nichts. Um etwas anderes anzuhalten, schreib „stopp“ in dem Thread dort.
answer-noise = Deine Nachricht hat { $n } Zeichen und kein Wort, daher konnte ich nichts damit anfangen. Sag mir in ein paar Worten, was du brauchst.
answer-declined = Darauf kann ich nicht antworten: Mein Sprachmodell hat es abgelehnt.
answer-cut-off = (Hier bricht die Antwort ab. Antworte „weiter“, dann mache ich weiter.)
answer-no-words = Ich bin fertig, ohne etwas zu sagen zu haben. Frag noch einmal, oder antworte „weiter“.
answer-unanswered = Auf meine Frage oben kam keine Antwort, daher habe ich hier angehalten. Antworte darauf, dann mache ich weiter.
answer-without-source = Dafür habe ich keine Quelle gefunden, und in diesem Kanal antworte ich nur mit einer. Sag mir, wo ich nachsehen soll, oder frag in einem anderen Kanal.
question-default = Wenn in { $n } Minuten niemand antwortet, gehe ich davon aus: { $default }

## What a thread's last request came to

state-answered = Die letzte Anfrage in diesem Thread ist beantwortet. Schreib einfach, was als Nächstes kommt: eine Frage, oder was ich ändern soll.
state-limited = Mit der letzten Anfrage in diesem Thread habe ich vorzeitig aufgehört; sie ist nicht fertig. Antworte „weiter“, dann mache ich dort weiter.
state-stopped = Die letzte Anfrage in diesem Thread wurde angehalten. Antworte „weiter“, dann mache ich dort weiter, oder frag etwas anderes.
state-failed = Die letzte Anfrage in diesem Thread habe ich nicht fertigbekommen. Antworte „weiter“, dann versuche ich es noch einmal.

## Progress

progress-begun = Ich habe gerade angefangen.
progress-model-away = Ich bin seit { $time } dabei, aber mein Sprachmodell ist gerade nicht zu erreichen. Ich versuche es noch bis { $until }; „stopp“ beendet es.
progress-at-work = Ich bin seit { $time } dabei.
progress-read =
    { $n ->
        [one] Ich bin seit { $time } dabei und habe eine Seite gelesen.
       *[other] Ich bin seit { $time } dabei und habe { $n } Seiten gelesen.
    }
progress-now-parts = Gerade geht es um { $what }.
progress-now-report = Gerade schreibe ich den Bericht.
progress-add = Willst du etwas hinzufügen, schreib es einfach; „stopp“ beendet es.
progress-wait-answer = Ich warte auf eine Antwort auf meine Frage oben.
progress-wait-approval = Ich warte auf einen Klick auf meine Anfrage oben.
progress-wait-connection = Ich warte, bis das Konto verbunden ist: siehe meine Nachricht oben.

## Stops

stop-by = { $name } hat das angehalten.
stop-now = Angehalten.
stop-deleted = Angehalten, weil die Nachricht mit dem Auftrag gelöscht wurde.
stop-nothing = Zu zeigen gab es noch nichts.
stop-so-far = Das habe ich bisher:
stop-read = Aus den Seiten, die ich gelesen habe:
stop-found = Aus Suchergebnissen, noch nicht gelesen:
stop-more = und { $n } weitere
stop-saved = Schon geschrieben: { $what }.
stop-left-out = Noch nicht angesehen: { $what }.
stop-to-go-on = Antworte „weiter“, dann mache ich dort weiter.

## Notices beside an answer

notice-unsure = Ich weiß nicht, ob das geschehen ist: { $what }. Bitte nachsehen, bevor es noch einmal geschieht.
deed-message = die Nachricht an { $whom } senden
deed-in-app = „{ $deed }“ in { $app }
deed-plain = „{ $deed }“
notice-long-text = Das war eine lange Nachricht ({ $n } Zeichen). Ich habe alles gelesen.
notice-files-gone = Die früheren Dateien dieses Threads sind weg; ich habe ohne sie angefangen.
notice-transcript-gone = Was hier vorher gesagt wurde, ist gelöscht; ich habe ohne das angefangen.
notice-too-late = Das kam zu spät für das, was oben steht; ich beantworte es für sich.
notice-nothing-read = Von den Seiten, die ich versucht habe, konnte ich keine lesen.
notice-keyless-search = Ich habe ohne Composio gesucht, in öffentlichen Suchmaschinen; manche Seite kann mir entgangen sein.
notice-file-broken = „{ $name }“ ist beschädigt; ich konnte die Datei nicht lesen.
notice-file-empty = „{ $name }“ ist leer.
notice-file-encrypted = „{ $name }“ ist durch ein Passwort geschützt; schick mir bitte eine Kopie ohne Passwort.
notice-file-heic = „{ $name }“ kann ich nicht ansehen: Es ist ein HEIC- oder AVIF-Bild. Schick es bitte als JPEG oder PNG.
notice-file-no-text = In „{ $name }“ habe ich keinen Text gefunden; vielleicht ist es ein Scan.
notice-file-old-office = „{ $name }“ hat ein altes Office-Format; schick es bitte als .docx oder .xlsx.
notice-file-too-big = „{ $name }“ ist zu groß oder zu verschachtelt, als dass ich die Datei lesen könnte.
notice-file-unknown = „{ $name }“ ist von einer Art, die ich nicht lesen kann.
notice-tools-away = Das ging gerade nicht: { $what }. Ich musste ohne auskommen; später noch einmal zu fragen kann helfen.
notice-tools-away-now = Ich mache ohne das weiter, was gerade nicht erreichbar ist: { $what }
away-composio = die Websuche und deine Apps
away-local-toolkit = Seiten lesen und Berichte schreiben
away-run-python = rechnen

## Scheduled work

digest-task = Recherchiere { $task } und schreibe einen Bericht.

## Failures

failure-too-long = Dieser Thread ist mir zu lang geworden. Beginne bitte einen neuen und sag mir, was ich mitnehmen soll.
failure-truncated = Was ich schreiben wollte, war zu lang für einmal. Antworte „weiter“ und bitte um ein kleineres Stück.
failure-rejected = Mein Sprachmodell hat die Anfrage abgelehnt, und noch einmal zu fragen würde nicht helfen. Wer mich betreibt, muss nach Schlüssel oder Grenzen sehen.
failure-unavailable = Mein Sprachmodell antwortet gerade nicht. Was bisher getan ist, bleibt: Antworte „weiter“, dann mache ich dort weiter.
failure-other = Bei mir ist etwas schiefgegangen. Was bisher getan ist, bleibt: Antworte „weiter“, dann mache ich dort weiter.
failure-set-aside = Mitten in dieser Anfrage bin ich mehrmals ausgefallen; ich habe sie deshalb zurückgestellt. Bitte stelle sie anders, oder bitte um einen kleineren Teil davon.
failure-with-reference = { $reason } (Kennung { $mark })

## Short forms: whole messages that save a call, apart by commas

language-small-words = der die das den dem ein eine einen einem einer und oder ist sind war mit von zu im für über was wie warum wann welche welcher wer bitte schreibe mir nicht auf ich wir zum zur bericht steht dieser diese dieses diesem diesen datei bitte kannst du gibt mach zeig fasse zusammen alle
polite-words = bitte, hallo, jetzt, sofort, mal, sehr
short-help = Hilfe, hilf mir, ich brauche Hilfe, kannst du mir helfen, was kannst du, was kannst du tun, was kannst du alles, was machst du
short-stop = stop, stopp, stoppe, stopp das, halt, halt an, abbrechen, abbruch, brich ab, brich das ab, hör auf, hör auf damit, aufhören, lass es, vergiss es
short-status = Status, Stand, wie weit bist du, wie weit, wie läuft es, wie läuft's, wie ist der Stand, bist du noch da, bist du fertig, bist du schon fertig, wie lange noch, was machst du gerade, arbeitest du noch
short-thanks = danke, dankeschön, danke schön, vielen Dank, danke dir, besten Dank, herzlichen Dank, super danke, perfekt danke, danke für deine Hilfe, prima danke
short-laughter = haha, hahaha, hihi, hehe, lol, ha ha, höhö
short-continue = weiter, mach weiter, mache weiter, fortfahren, fahre fort, ja mach weiter, ja weiter
short-wrap-up = Antworte mit dem bisher Gefundenen
short-yes = ja, jo, jawohl, genau, ja genau, ja gern, gern, gerne, passt, in Ordnung, ja danke, einverstanden, bestätigen, mach das
short-no = nein, nee, nein danke, lieber nicht, nicht
short-digests = Digests, zeig die Digests, zeige die Digests, zeig mir die Digests, zeig alle Digests, liste die Digests auf, meine Digests, welche Digests gibt es

## Interventions

done-by = Von { $name } als erledigt markiert.
intervention-comment = Das sagte ich zu dem Teil „{ $task }“: { $text }
intervention-content = Das sagte ich zu dem Teil „{ $task }“: { $text }
intervention-task = Statt dessen, worum ich bat, bitte dies: { $text }
intervention-retry = Bitte diesen Teil der Arbeit noch einmal: { $task }

## Geld

cap-what = { $kind ->
    [turn] diese Anfrage ihr Budget von { $usd } aufgebraucht hat
    [person] { $name } das Budget dieses Monats von { $usd } aufgebraucht hat und das nächste am { $day } beginnt
    [thread] dieser Thread das Budget dieses Monats von { $usd } aufgebraucht hat und das nächste am { $day } beginnt
    [channel] dieser Kanal das Budget dieses Monats von { $usd } aufgebraucht hat und das nächste am { $day } beginnt
   *[team] dieser Workspace das Budget dieses Monats von { $usd } aufgebraucht hat und das nächste am { $day } beginnt
 }
cap-person = jemand
cap-admin = wer mich betreut
cap-ended = Ich antworte mit dem, was ich bis jetzt habe, weil { $what }; erhöhen kann es { $who }.
cap-refused = Das kann ich nicht übernehmen, weil { $what }; vorher erhöhen kann es { $who }.
