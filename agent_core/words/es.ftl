# What the core says to people. {$slot} is filled in by the code; a message id names its area first.

## Schedules: rules and moments in words

schedule-locale = es
schedule-date = EEEE d 'de' MMMM 'de' y
schedule-moment = ccc d 'de' MMMM 'de' y, HH:mm
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
    Aquí estoy. Dame una pregunta o una tarea y me pongo a ello.

    - Respondo con lo que sé, o antes busco en la web y leo páginas y archivos.
    - Para un informe basta con el tema, por ejemplo «escribe un informe sobre las bombas de calor en casas antiguas»: llega como archivo, con sus fuentes.
    - Adjunta archivos y di qué hacer con ellos.
    - «Cada día laborable a las 9 publica un resumen sobre baterías» pide un digest; «digests» los muestra.
    - En este hilo basta una palabra: tu respuesta sigue desde aquí, y «continúa» retoma lo que no está terminado.
answer-thanks = ¡De nada! Si puedo hacer algo más, bastan unas palabras.
answer-agreed = ¡Gracias! Aquí no basta con una palabra: hace falta un clic en mi petición de arriba. Entonces sigo.
answer-nothing-running = No hay nada en marcha en este hilo. Si estoy trabajando en otro, responde allí.
answer-noise = Tu mensaje tiene { $n } caracteres y ninguna palabra, así que no pude hacer nada con él. Dime en pocas palabras qué necesitas.
answer-unanswered = Nadie respondió a mi pregunta de arriba, así que me detuve aquí. Responde y sigo.
question-default = Si nadie responde en { $n } minutos, parto de esto: { $default }

## What a thread's last request came to

state-answered = La última petición de este hilo está respondida. Basta una palabra para seguir: haz la siguiente pregunta, o di qué hay que cambiar o comprobar.
state-limited = La última petición de este hilo se detuvo en un límite y no está terminada. Basta una palabra: responde «continúa» y sigo desde ahí.
state-stopped = La última petición de este hilo se detuvo. Basta una palabra: responde «continúa» y sigo desde ahí, o pide otra cosa.
state-failed = La última petición de este hilo no se pudo terminar. Basta una palabra: responde «continúa» y lo intento de nuevo desde ahí.

## Progress

progress-at-work = Llevo { $time } con ello.
progress-at-work-done = Llevo { $time } con ello, con { $done } hasta ahora.
progress-under-way = Ahora mismo: { $what }.
progress-at-model = Espero la respuesta del modelo.
progress-add = Basta una palabra para añadir algo; «para» lo detiene.
progress-waiting = Espero una respuesta a mi pregunta de arriba.
progress-begun = Acabo de empezar.
progress-steps = { $n ->
    [one] { $n } paso
   *[other] { $n } pasos
}
progress-calls = { $n ->
    [one] { $n } llamada a herramienta
   *[other] { $n } llamadas a herramientas
}
progress-both = { $steps } y { $calls }

## Stops

stop-by = Detenido, como pidió { $name }.
stop-now = Detenido.
stop-deleted = Detenido, porque se borró el mensaje que lo pedía.
stop-until-then = Hasta entonces: { $done }.
stop-saved = Guardado: { $what }.
stop-left-out = Sin empezar: { $what }.
stop-to-go-on = Responde «continúa» y sigo desde ahí.

## Notices beside an answer

notice-unsure = Puede que haya ocurrido o no: { $what }. Conviene mirarlo antes de repetirlo.
notice-long-text = Tu mensaje tiene { $n } caracteres; lo he leído entero.
notice-long-text-kept = Tu mensaje tiene { $n } caracteres; lo he leído entero y lo guardé como `{ $path }`.
notice-new-workspace = Los archivos de este hilo ya no estaban; empecé un nuevo espacio de trabajo.
notice-too-late-for-report = Llegó demasiado tarde para el informe de arriba, así que lo he tratado aparte.
notice-too-late-for-answer = Llegó demasiado tarde para la respuesta de arriba, así que lo he tratado aparte.
notice-nothing-read = No pude leer ninguna de las páginas que intenté.
notice-file-broken = `{ $name }` está dañado; no pude leerlo.
notice-file-empty = `{ $name }` está vacío.
notice-file-encrypted = `{ $name }` está protegido con contraseña; envíame una copia sin ella.
notice-file-heic = No puedo ver `{ $name }`: es una imagen HEIC o AVIF. Envíala como JPEG o PNG.
notice-file-no-text = No encontré texto en `{ $name }`; puede ser un escaneo.
notice-file-old-office = `{ $name }` tiene un formato antiguo de Office; envíalo como .docx o .xlsx.
notice-file-too-big = `{ $name }` es demasiado grande o complejo para que lo lea.
notice-file-unknown = `{ $name }` es de un tipo que no puedo leer.
notice-tools-away = He tenido que prescindir de las herramientas de { $what }, que ahora mismo no están accesibles. Puede ayudar volver a intentarlo más tarde.

## Scheduled work

digest-task = Investiga { $task } y escribe un informe.

## Failures

failure-too-long = Este hilo es ya demasiado largo para mi modelo de lenguaje. Empieza un hilo nuevo y dime qué hay que llevar a él.
failure-truncated = Lo que quería escribir era más largo de lo que mi modelo de lenguaje puede escribir de una vez. Responde «continúa» y pide una parte más pequeña.
failure-rejected = Mi modelo de lenguaje rechazó la petición, y repetirla no serviría de nada. Quien me administra tiene que revisar su clave o sus límites.
failure-unavailable = Mi modelo de lenguaje no responde en este momento. Lo hecho hasta ahora se conserva: responde «continúa» y sigo desde ahí.
failure-other = Algo salió mal por mi parte. Lo hecho hasta ahora se conserva: responde «continúa» y sigo desde ahí.
failure-set-aside = Me detuve varias veces en medio de esta petición, así que la he apartado; todo lo demás sigue. Pídela de otra manera, o pide una parte más pequeña.
failure-with-reference = { $reason } (referencia { $mark })

## Short forms: whole messages that save a call, apart by commas

language-small-words = el la los las un una unos unas y o es son de del con para en sobre qué que cómo por cuándo cuál quién escribe me este esta al yo nosotros informe archivo puedes hay dime
polite-words = por favor, hola, ahora, ya, muy
short-help = ayuda, ayúdame, necesito ayuda, puedes ayudarme, me puedes ayudar, qué puedes hacer, qué puedes hacer por mí, qué sabes hacer
short-stop = stop, para, para todo, párate, parar, páralo, detente, cancela, cancelar, cancélalo, déjalo, olvídalo
short-status = estado, cómo vas, por dónde vas, cómo va, cuánto falta, sigues ahí, estás ahí, has terminado, terminaste, qué estás haciendo
short-thanks = gracias, muchas gracias, mil gracias, perfecto gracias, vale gracias, genial gracias, gracias por tu ayuda
short-continue = continúa, continuar, sigue, adelante, sí continúa, sí sigue
short-yes = sí, vale, de acuerdo, claro, perfecto, sí gracias, confirmar, sí hazlo, hazlo, adelante
short-no = no, no gracias, mejor no
short-digests = digests, los digests, mis digests, lista los digests, muestra los digests, muéstrame los digests, qué digests hay

## Interventions

done-by = { $name } lo ha marcado como terminado.
intervention-comment = Dije esto sobre la parte «{ $task }»: { $text }
intervention-content = Dije esto sobre la parte «{ $task }»: { $text }
intervention-task = En lugar de lo que pedí, haz esto: { $text }
intervention-retry = Haz de nuevo esta parte del trabajo: { $task }
