# The words that a report's page adds to the text.

summary = Résumé
contents = Sommaire
sources = Sources
snippet = résultat de recherche, non lu en entier
copy = même texte que la source { $n }, compté une fois
unread = Ce rapport repose sur les seuls résultats de recherche : aucune source n'a été lue en entier.
report = Rapport de recherche
source-count =
    { $n ->
        [one] { $n } source
       *[other] { $n } sources
    }
publisher-count =
    { $n ->
        [one] { $n } éditeur
       *[other] { $n } éditeurs
    }
reading-time = { $n } min de lecture
version = Version { $version }
version-new =
    { $n ->
        [one] Version { $version } : nouvelle section { $what }
       *[other] Version { $version } : nouvelles sections { $what }
    }
unfound = absent de la source
sourceless = sans source
claim-count =
    { $n ->
        [one] { $n } affirmation
       *[other] { $n } affirmations
    }
all-found =
    { $n ->
        [one] retrouvée dans sa source
       *[other] toutes retrouvées dans leurs sources
    }
found =
    { $n ->
        [one] { $n } retrouvée mot pour mot ou en valeur
       *[other] { $n } retrouvées mot pour mot ou en valeur
    }
derived =
    { $n ->
        [one] { $n } déduite
       *[other] { $n } déduites
    }
unfound-count =
    { $n ->
        [one] { $n } introuvable
       *[other] { $n } introuvables
    }
shortfall = Ce rapport repose sur peu de sources : { $sources } de { $publishers ->
        [one] un éditeur
       *[other] { $publishers } éditeurs
    }. Un rapport complet devrait en avoir au moins { $enough_sources } de { $enough_publishers }.
table = Tableau
scrolls = D’autres colonnes : faites défiler sur le côté
passages = Passages cités
top = Haut de page
footer = Les numéros entre crochets mènent à la source de chaque phrase.

# Headings by which an author means the part that the page makes by itself.

summary-names = résumé, synthèse
contents-names = sommaire, table des matières
sources-names = références, bibliographie
