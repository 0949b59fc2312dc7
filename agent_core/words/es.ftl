# What the core says to people. {$slot} is filled in by the code; a message id names its area first.

## Schedules: rules and moments in words

schedule-locale = es
schedule-date = EEEE d 'de' MMMM 'de' y
schedule-moment = ccc d 'de' MMMM 'de' y, HH:mm
schedule-day = ccc d
schedule-day-month = ccc d 'de' MMMM
schedule-day-year = ccc d 'de' MMMM 'de' y
schedule-days-at = { $days } a las { $time }
rule-every = { $kind ->
    [day] cada día
    [workday] cada día laborable
    [weekend] cada fin de semana
   *[days] cada { $days }
 }
rule-weeks-apart = cada { $n } semanas el { $days }
rule-days-apart = cada { $n } días
rule-elapsed = { $unit ->
    [HOURLY] { $n ->
        [1] cada hora
       *[other] cada { $n } horas
     }
   *[MINUTELY] { $n ->
        [1] cada minuto
       *[other] cada { $n } minutos
     }
 }
rule-workday = día laborable
rule-day = día
rule-nth = el { $nth } { $day } de cada mes
rule-on-nth = el { $nth } { $day }
rule-ordinal = { $n ->
    [1] primer
    [2] segundo
    [3] tercer
    [4] cuarto
    [5] quinto
    [-1] último
    [-2] penúltimo
   *[other] { rule-date }
 }
rule-date = { $n }
rule-month-day = el { $days } de cada mes
rule-on-month-day = el { $days }
rule-months-apart = cada { $n } meses { $on }
rule-yearly = { $n ->
    [1] cada año el { $day } de { $month }
   *[other] cada { $n } años el { $day } de { $month }
 }
rule-only-in = { $recurrence } en { $months }
rule-times = a las { $times }
rule-until = hasta el { $day }
rule-starting = a partir del { $day }
## Ready answers

answer-help =
    ¡Hola! Hazme una pregunta o dame una tarea.

    - Respondo con lo que sé, o antes busco en la web y leo páginas y archivos.
    - Para un informe basta con el tema, por ejemplo «escribe un informe sobre las bombas de calor en casas antiguas»: llega como archivo, con sus fuentes.
    - Adjunta archivos y di qué hacer con ellos.
    - «Cada día laborable a las 9 publica un resumen sobre baterías» pide un digest; «digests» los muestra.
    - En este hilo basta una palabra: tu respuesta sigue desde aquí, y «continúa» retoma lo que no está terminado.
answer-thanks = ¡De nada!
answer-agreed = ¡Gracias! Decide sobre mi petición de arriba con sus botones; solo cuenta un clic.
answer-aside-later = Puedo ocuparme de eso en cuanto se decida sobre mi petición de arriba. Si debe ser distinta, escribe qué cambiar.
answer-nothing-running = No estoy trabajando en nada aquí. Para detener otra tarea, escribe «para» en ese hilo.
answer-noise = Tu mensaje tiene { $n } caracteres y ninguna palabra, así que no pude hacer nada con él. Dime en pocas palabras qué necesitas.
answer-declined = No puedo responder a esto: mi modelo de lenguaje lo rechazó.
answer-cut-off = (La respuesta se cortó aquí. Responde «continúa» y sigo.)
answer-no-words = Terminé sin nada que decir. Pregunta de nuevo, o responde «continúa».
answer-unanswered = Nadie respondió a mi pregunta de arriba, así que me detuve aquí. Responde y sigo.
answer-without-source = No encontré ninguna fuente para esto, y en este canal solo respondo con una. Dime dónde buscar o pregunta en otro canal.
question-default = Si nadie responde en { $n } minutos, parto de esto: { $default }

## What a thread's last request came to

state-answered = La última petición de este hilo está respondida. Escribe sin más lo que sigue: una pregunta, o qué hay que cambiar.
state-limited = La última petición de este hilo la dejé antes de tiempo; no está terminada. Responde «continúa» y sigo desde ahí.
state-stopped = La última petición de este hilo se detuvo. Responde «continúa» y sigo desde ahí, o pide otra cosa.
state-failed = No pude terminar la última petición de este hilo. Responde «continúa» y lo intento de nuevo.

## Progress

progress-begun = Acabo de empezar.
progress-model-away = Llevo { $time } con ello, pero ahora mismo no consigo contactar con mi modelo de lenguaje. Lo intento hasta las { $until }; «para» lo detiene.
progress-at-work = Llevo { $time } con ello.
progress-read =
    { $n ->
        [one] Llevo { $time } con ello y he leído una página.
       *[other] Llevo { $time } con ello y he leído { $n } páginas.
    }
progress-now-parts = Ahora mismo miro { $what }.
progress-now-report = Ahora mismo escribo el informe.
progress-add = Para añadir algo, escríbelo sin más; «para» lo detiene.
progress-wait-answer = Espero una respuesta a mi pregunta de arriba.
progress-wait-approval = Espero un clic en mi petición de arriba.
progress-wait-connection = Espero a que la cuenta esté conectada: mira mi mensaje de arriba.

## Stops

stop-by = { $name } lo ha detenido.
stop-now = Detenido.
stop-deleted = Detenido, porque se borró el mensaje que lo pedía.
stop-nothing = Todavía no tenía nada que mostrar.
stop-so-far = Esto es lo que tengo hasta ahora:
stop-read = De las páginas que he leído:
stop-found = De resultados de búsqueda, sin leer aún:
stop-more = y { $n } más
stop-saved = Ya escrito: { $what }.
stop-left-out = Sin mirar todavía: { $what }.
stop-to-go-on = Responde «continúa» y sigo desde ahí.

## Notices beside an answer

notice-unsure = No sé si esto llegó a hacerse: { $what }. Conviene mirarlo antes de repetirlo.
deed-message = enviar el mensaje a { $whom }
deed-in-app = «{ $deed }» en { $app }
deed-plain = «{ $deed }»
notice-long-text = Era un mensaje largo ({ $n } caracteres). Lo he leído entero.
notice-files-gone = Los archivos anteriores de este hilo ya no están, así que empecé sin ellos.
notice-transcript-gone = Lo que se dijo aquí antes se ha borrado, así que empecé sin ello.
notice-too-late = Llegó demasiado tarde para lo que publiqué arriba, así que lo respondo aparte.
notice-nothing-read = No pude leer ninguna de las páginas que intenté.
notice-keyless-search = He buscado sin Composio, en buscadores públicos, así que puede faltar alguna página.
notice-file-broken = «{ $name }» está dañado; no pude leerlo.
notice-file-empty = «{ $name }» está vacío.
notice-file-encrypted = «{ $name }» está protegido con contraseña; envíame una copia sin ella.
notice-file-heic = No puedo ver «{ $name }»: es una imagen HEIC o AVIF. Envíala como JPEG o PNG.
notice-file-no-text = No encontré texto en «{ $name }»; puede ser un escaneo.
notice-file-old-office = «{ $name }» tiene un formato antiguo de Office; envíalo como .docx o .xlsx.
notice-file-too-big = «{ $name }» es demasiado grande o complejo para que lo lea.
notice-file-unknown = «{ $name }» es de un tipo que no puedo leer.
notice-tools-away = He tenido que prescindir de { $what }: ahora mismo no está a mi alcance. Puede ayudar preguntar de nuevo más tarde.
notice-tools-away-now = Sigo sin { $what }: ahora mismo no está a mi alcance
away-composio = la búsqueda web y tus aplicaciones
away-local-toolkit = leer páginas y escribir informes
away-run-python = calcular

## Scheduled work

digest-task = Investiga { $task } y escribe un informe.

## Failures

failure-too-long = Este hilo se me ha hecho demasiado largo. Empieza uno nuevo y dime qué hay que llevar a él.
failure-truncated = Lo que quería escribir era demasiado largo para una sola vez. Responde «continúa» y pide una parte más pequeña.
failure-rejected = Mi modelo de lenguaje rechazó la petición, y repetirla no serviría de nada. Quien me administra tiene que revisar su clave o sus límites.
failure-unavailable = Mi modelo de lenguaje no responde en este momento. Lo hecho hasta ahora se conserva: responde «continúa» y sigo desde ahí.
failure-other = Algo salió mal por mi parte. Lo hecho hasta ahora se conserva: responde «continúa» y sigo desde ahí.
failure-set-aside = Me caí varias veces en medio de esta petición, así que la he apartado. Pídela de otra manera, o pide una parte más pequeña.
failure-with-reference = { $reason } (referencia { $mark })

## Short forms: whole messages that save a call, apart by commas

language-small-words = el la los las un una unos unas y o es son de del con para en sobre qué que cómo por cuándo cuál quién escribe me este esta al yo nosotros informe archivo puedes hay dime
polite-words = por favor, hola, ahora, ya, muy
short-help = ayuda, ayúdame, necesito ayuda, puedes ayudarme, me puedes ayudar, qué puedes hacer, qué puedes hacer por mí, qué sabes hacer
short-stop = stop, para, para todo, párate, parar, páralo, detente, cancela, cancelar, cancélalo, déjalo, olvídalo
short-status = estado, cómo vas, por dónde vas, cómo va, cuánto falta, sigues ahí, estás ahí, has terminado, terminaste, qué estás haciendo
short-thanks = gracias, muchas gracias, mil gracias, perfecto gracias, vale gracias, genial gracias, gracias por tu ayuda
short-laughter = jaja, jajaja, jajajaja, jeje, jejeje, ja ja, lol
short-continue = continúa, continuar, sigue, adelante, sí continúa, sí sigue
short-wrap-up = Responde con lo que tienes
short-yes = sí, vale, de acuerdo, claro, perfecto, sí gracias, confirmar, sí hazlo, hazlo, adelante
short-no = no, no gracias, mejor no
short-digests = digests, los digests, mis digests, lista los digests, muestra los digests, muéstrame los digests, qué digests hay

## Interventions

done-by = { $name } lo ha marcado como terminado.
intervention-comment = Dije esto sobre la parte «{ $task }»: { $text }
intervention-content = Dije esto sobre la parte «{ $task }»: { $text }
intervention-task = En lugar de lo que pedí, haz esto: { $text }
intervention-retry = Haz de nuevo esta parte del trabajo: { $task }

## Dinero

cap-what = { $kind ->
    [turn] esta petición ha agotado su presupuesto de { $usd }
    [person] { $name } ha agotado el presupuesto de este mes, { $usd }, y el próximo empieza el { $day }
    [thread] este hilo ha agotado el presupuesto de este mes, { $usd }, y el próximo empieza el { $day }
    [channel] este canal ha agotado el presupuesto de este mes, { $usd }, y el próximo empieza el { $day }
   *[team] este espacio de trabajo ha agotado el presupuesto de este mes, { $usd }, y el próximo empieza el { $day }
 }
cap-person = alguien
cap-admin = quien se ocupa de mí
cap-ended = Respondo con lo que tengo hasta ahora, porque { $what }; { $who } puede aumentarlo.
cap-refused = No puedo encargarme de esto, porque { $what }; { $who } puede aumentarlo antes.
