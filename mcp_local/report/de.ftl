# The words that a report's page adds to the text.

summary = Zusammenfassung
contents = Inhalt
sources = Quellen
snippet = Suchergebnis, nicht vollständig gelesen
copy = gleicher Text wie Quelle { $n }, einmal gezählt
unread = Dieser Bericht beruht nur auf Suchergebnissen: Keine Quelle wurde ganz gelesen.
report = Recherchebericht
source-count =
    { $n ->
        [one] { $n } Quelle
       *[other] { $n } Quellen
    }
publisher-count =
    { $n ->
        [one] { $n } Herausgeber
       *[other] { $n } Herausgeber
    }
reading-time = { $n } Min. Lesezeit
version = Version { $version }
version-new =
    { $n ->
        [one] Version { $version }: neuer Abschnitt { $what }
       *[other] Version { $version }: neue Abschnitte { $what }
    }
unfound = in der Quelle nicht gefunden
sourceless = ohne Quelle
claim-count =
    { $n ->
        [one] { $n } Angabe
       *[other] { $n } Angaben
    }
all-found =
    { $n ->
        [one] in der Quelle gefunden
       *[other] alle in ihren Quellen gefunden
    }
found = { $n } wörtlich oder dem Wert nach gefunden
derived = { $n } abgeleitet
unfound-count = { $n } nicht gefunden
shortfall = Dieser Bericht stützt sich auf wenige Quellen: { $sources } von { $publishers ->
        [one] einem Herausgeber
       *[other] { $publishers } Herausgebern
    }. Ein umfassender sollte mindestens { $enough_sources } von { $enough_publishers } haben.
table = Tabelle
scrolls = Weitere Spalten: seitwärts scrollen
passages = Belegstellen
top = Nach oben
footer = Zahlen in Klammern führen zur Quelle, auf der ein Satz beruht.

# Headings by which an author means the part that the page makes by itself.

summary-names = zusammenfassung, kurzfassung
contents-names = inhalt, inhaltsverzeichnis
sources-names = quellen, quellenverzeichnis
