# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.

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
