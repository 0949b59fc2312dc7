# The words that a report's page adds to the text.

summary = Resumen ejecutivo
contents = Contenido
sources = Fuentes
snippet = resultado de búsqueda, no leído por completo
copy = mismo texto que la fuente { $n }, contado una vez
unread = Este informe se basa solo en resultados de búsqueda: ninguna fuente se leyó por completo.
report = Informe de investigación
source-count =
    { $n ->
        [one] { $n } fuente
       *[other] { $n } fuentes
    }
publisher-count =
    { $n ->
        [one] { $n } editor
       *[other] { $n } editores
    }
reading-time = { $n } min de lectura
version = Versión { $version }
version-new =
    { $n ->
        [one] Versión { $version }: nueva sección { $what }
       *[other] Versión { $version }: nuevas secciones { $what }
    }
unfound = no figura en la fuente
sourceless = sin fuente
claim-count =
    { $n ->
        [one] { $n } dato
       *[other] { $n } datos
    }
all-found =
    { $n ->
        [one] hallado en su fuente
       *[other] todos hallados en sus fuentes
    }
found =
    { $n ->
        [one] { $n } hallado literalmente o por su valor
       *[other] { $n } hallados literalmente o por su valor
    }
derived =
    { $n ->
        [one] { $n } derivado
       *[other] { $n } derivados
    }
unfound-count =
    { $n ->
        [one] { $n } no hallado
       *[other] { $n } no hallados
    }
shortfall = Este informe se apoya en pocas fuentes: { $sources } de { $publishers ->
        [one] un editor
       *[other] { $publishers } editores
    }. Uno exhaustivo debería tener al menos { $enough_sources } de { $enough_publishers }.
table = Tabla
scrolls = Más columnas: desplace hacia un lado
passages = Pasajes citados
top = Volver arriba
footer = Los números entre corchetes llevan a la fuente de cada frase.

# Headings by which an author means the part that the page makes by itself.

summary-names = resumen, resumen ejecutivo
contents-names = índice, contenido
sources-names = fuentes, referencias, bibliografía
