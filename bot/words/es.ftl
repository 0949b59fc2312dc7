# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.

## Digests

digest-understood = *{ $task }*
    { $when }, en { $channel }
    Próximos: { $next }
digest-only-news = Publico solo cuando hay algo nuevo.
digest-says-no-news = Si no hay nada nuevo, lo digo en una línea.
digest-shall-i = ¿Lo hago así?
digest-repeats = El digest { $n }, pedido por { $who }, trata de lo mismo: *{ $task }*
    { $when }, en { $channel }
digest-in-private = nuestros mensajes directos
digest-ask-time = ¿A qué hora? Por ejemplo «a las 9» (tu zona horaria es { $zone }).
digest-ask-day = ¿Qué días? Por ejemplo «todos los lunes a las 9».
digest-ask-task = ¿De qué debe tratar el digest?
digest-ask-channel = ¿En qué canal? Nombra uno solo, por ejemplo «en #noticias».
digest-scheduled = Programado como digest { $n }, pedido por { $who }: *{ $task }*
    { $when }, en { $channel }
    Próximos: { $next }
digest-not-scheduled = No programado.
digest-replaced = Sustituido por la versión de más abajo.
digest-refusal-unreadable = No entendí cuándo. Por ejemplo: «cada día laborable a las 9».
digest-refusal-unknown-zone = No conozco esa zona horaria. Por ejemplo: «a las 9 Europe/Madrid».
digest-refusal-too-often = Es demasiado a menudo: un digest llega como máximo cada 15 minutos.
digest-refusal-never = Ese día no existe en los próximos diez años. Indica otro, por favor.
digest-refusal-over = Todas esas fechas ya pasaron.
digest-refusal-place-closed = No veo ningún canal { $channel }. Invítame y pídelo otra vez.
digest-refusal-not-in-place = No estoy en { $channel }. Invítame y pídelo otra vez.
digest-refusal-switched-off = En { $channel } los resúmenes están desactivados. Quien administra el espacio o el canal puede activarlos.
digest-refusal-not-allowed = No puedo trabajar en { $channel }.
digest-refusal-owner-left = No estás en { $channel }. Únete y pídelo otra vez.
digest-refusal-team-full = Este espacio de trabajo tiene { $n } digests. No puedo llevar más.
digest-refusal-place-full = { $channel } tiene { $n } digests. No puedo llevar más ahí.
digest-refusal-person-full = Tienes { $n } digests. No puedo llevar más para una persona.
digest-refusal-not-yours = Solo { $who }, que lo pidió, y los admins pueden cambiar el digest { $n }.
digest-refusal-not-yours-yet = Solo { $who }, que lo pidió, puede decidirlo.
digest-refusal-not-there = No existe ese digest. «Lista los digests» los muestra todos.
digest-refusal-which = ¿Cuál? Indica su número:
digest-refusal-already-running = El digest { $n } se está preparando ahora mismo.
digest-refusal-press-again = Eso tardó demasiado. Pulsa el botón otra vez, por favor.
digest-button-confirm = Confirmar
digest-button-change = Cambiar
digest-button-cancel = Cancelar
digest-button-keep-both = Mantener ambos
digest-button-replace = Sustituir
digest-button-pause = Pausar
digest-button-resume = Reanudar
digest-button-run = Ejecutar ahora
digest-button-edit = Editar
digest-button-delete = Eliminar
digest-from-home = Este es el resumen que pediste en mi página de inicio:
digest-button-new = Nuevo digest
digest-listed = Digests
digest-more = Y { $n } más. Nombra uno por su número: «edita el digest 21».
digest-none = Todavía no hay digests. Pide uno, por ejemplo: «publica cada día laborable a las 9 un digest sobre baterías en #energia».
digest-none-there = Todavía no hay digests en { $channel }.
digest-did-pause = El digest { $n } (*{ $task }*) está en pausa. «Reanuda el digest { $n }» lo pone en marcha.
digest-did-resume = El digest { $n } (*{ $task }*) está activo de nuevo. Próximos: { $next }
digest-did-delete = El digest { $n } (*{ $task }*) está eliminado. Lo que publicó se queda.
digest-did-run = El digest { $n } (*{ $task }*) se está preparando.
digest-changed = El digest { $n } ha cambiado: *{ $task }*
    { $when }, en { $channel }
    Próximos: { $next }
digest-is-paused = en pausa
digest-is-paused-because = en pausa: { $why }
digest-is-over = terminado
digest-next-is = próximo: { $next }
digest-why-failing = falló tres veces seguidas
digest-why-owner-left = quien lo pidió ya no está en el canal o en el espacio de trabajo
digest-why-place-closed = su canal está archivado o ya no existe
digest-why-not-in-place = ya no estoy en su canal
digest-why-switched-off = los resúmenes están desactivados en su canal
digest-why-may-not-post = no puedo publicar en su canal
digest-form-title = Digest
digest-form-task = ¿De qué trata?
digest-form-channel = ¿En qué canal?
digest-form-news = Si no hay nada nuevo
digest-news-post = Publicar de todos modos
digest-news-say-so = Decirlo en una línea
digest-news-be-silent = No publicar nada
digest-form-save = Guardar
digest-first = Primera edición.
digest-news-since = Novedades desde { $when }: { $count } de { $of }.
digest-no-news-since = Nada nuevo desde { $when }.
digest-late = Con retraso: estaba previsto para { $when }.
digest-left-out = { $n ->
    [one] { $n } anterior se omitió.
   *[other] { $n } anteriores se omitieron.
 }
digest-new-mark = nuevo
digest-by-hand = Edición extra, preparada a petición.
digest-footer = Digest { $n } · { $when } · pedido por { $who } · responde aquí para preguntar más
digest-failed = El digest { $n } (*{ $task }*) no salió bien esta vez. Lo intentaré de nuevo.
digest-paused-because = El digest { $n } (*{ $task }*) está en pausa: { $why }. «Reanuda el digest { $n }» lo pone en marcha.
digest-reads = Leeré lo que se publique en { $reads }.
digest-reads-not = No puedo leer { $reads }. Mientras no me inviten allí, el digest solo dirá eso.
digest-refusal-repeats = Pulsa uno de los botones de arriba, por favor.
digest-away = Ahora mismo no puedo leer eso. Si quieres un digest, también sirve un formulario.
digest-form-days = ¿Qué días?
digest-form-time = ¿A qué hora? Por ejemplo 09:00 ({ $zone })
digest-form-time-unclear = Escribe la hora así: 09:00.
## Progress and answers

progress-working = Trabajando en ello
progress-ended-done = Listo en { $time }
progress-ended-early = Trabajé en ello { $time }
progress-pages-read =
    { $n ->
        [one] { $n } página leída
       *[other] { $n } páginas leídas
    }
progress-earlier-steps =
    { $n ->
        [one] { $n } paso anterior
       *[other] { $n } pasos anteriores
    }
progress-more-steps = y { $n } más
progress-trying-again = Mi modelo de lenguaje no responde; lo intento de nuevo
progress-model-away = No consigo contactar con mi modelo de lenguaje; lo intento hasta las { $time }. «para» lo detiene.
progress-model-back = Mi modelo de lenguaje no respondía y ya responde de nuevo
progress-model-gone = No fue posible contactar con mi modelo de lenguaje
progress-thinking = Pensándolo
progress-answer-now = Responde con lo que tienes
progress-no-answer = No tengo una respuesta.
progress-failure = Algo salió mal y no pude terminar.
progress-reference = Referencia: { $what }
progress-no-file = No pude adjuntar { $what }.
progress-whole-answer = La respuesta es larga; el resto está en el archivo adjunto.
progress-sources = Fuentes:
progress-picture-of = Primera página de «{ $what }»
progress-not-in-thread = No pude responder en el hilo, así que aquí está la respuesta.
progress-took-in = { $who }: «{ $what }» — incorporado
progress-changed = { $who } cambió la tarea: «{ $old }» → «{ $new }»
progress-took-in-late = { $who }: «{ $what }» — demasiado tarde para el informe; di «continúa» y lo incorporo
progress-failed = No funcionó; sigo sin ello
progress-stopped = No aprobado
progress-cut = Sin terminar
progress-line = está en ello · { $time }
progress-line-looking = lo está mirando
progress-waiting = Esperando una respuesta
progress-waiting-for = Esperando a { $who }
progress-writing = Escribiendo: { $what }
progress-writing-answer = Escribiendo la respuesta
progress-report-ahead = Preparando el informe
progress-stop = Detener «{ $what }»
progress-stop-late = Ya no hay nada que detener: esta parte ya terminó.
progress-stop-branch = { $who } detuvo esta parte
progress-done-branch = { $who } marcó esta parte como terminada
progress-retry-branch = { $who } quiere esta parte otra vez
progress-unsure = puede que haya ocurrido o no
progress-purpose-check-accounts = Comprobando las cuentas conectadas
progress-purpose-look-back = Reviso trabajos anteriores
progress-purpose-mend-post = Cambio lo que publiqué
progress-purpose-read-channel = Leo lo publicado en { $what }
progress-purpose-find-tools = Buscando las aplicaciones adecuadas
progress-purpose-read-file = Leyendo el material
progress-purpose-read-pages = Leyendo { $what } y { $n } más
progress-purpose-read-page = Leyendo { $what }
progress-purpose-use-app = Trabajando con { $what }
progress-purpose-run-code = Trabajando con los datos
progress-purpose-save-sources = Guardando las fuentes
progress-purpose-search-news = Buscando noticias sobre { $what }
progress-purpose-search-sources = Buscando en las fuentes: { $what }
progress-purpose-search-web = Buscando en la web: { $what }
progress-purpose-upload-file = Entregando un archivo
progress-purpose-use-tool = Trabajando en ello
progress-purpose-write-file = Poniéndolo por escrito
progress-purpose-write-report = Redactando el informe

## A question about a post, from its menu

ask-title = Pregunta al agente
ask-what = ¿Qué quieres saber?
ask-hint = Si lo dejas vacío: de qué se trata y qué hay que hacer.
ask-told = { $who } pregunta sobre esto:
ask-default = ¿De qué trata esto y qué hay que hacer?
ask-about = Sobre el mensaje de { $who }: «{ $what }»
ask-which = se trata de lo que { $who } escribió a las { $at }
ask-app = una aplicación
ask-not-there = Ahí no puedo responder: no estoy en ese canal o está archivado. Invítame e inténtalo de nuevo.
ask-again = Ha tardado demasiado. Inténtalo de nuevo o mencióname en el hilo.

## Its own posts

surface-corrected = (corregido a petición de { $who })

## Questions

question-choose = Elige una opción o escribe tu respuesta.
question-answer-by = Espero tu respuesta hasta { $when }.
question-other = Otra cosa…
question-form-title = Tu respuesta
question-form-send = Enviar
question-form-label = ¿Qué debo saber?
question-answered = { $who } respondió: { $what }
question-default-taken = Nadie respondió, así que seguí con esto: { $what }
question-unanswered = No llegó respuesta.
question-default-option = { $what } (mi propuesta)
question-over = Demasiado tarde: esta pregunta se respondió, o seguí sin respuesta.
question-not-yours = Se lo pregunté a { $who }, y solo { $who } puede responder aquí. Siempre puedes escribir en el hilo.
question-write-it = No se pudo abrir el formulario ahora. Escribe tu respuesta en el hilo.

## Approvals and connections

consent-conjunction = y
consent-asked = { $who } pidió esto. Solo lo hago después de una aprobación:
consent-with-account = con la cuenta { $account }
consent-reaches =
    { $n ->
        [one] Llega a { $n } destinatario: { $whom }
       *[other] Llega a { $n } destinatarios: { $whom }
    }
consent-language = es
consent-no-zone = sin zona horaria: decide la aplicación
consent-no-arguments = Sin ningún dato.
consent-along = Va en el mismo lote y no necesita aprobación: { $what }
consent-more = y { $n } más
consent-tainted = En este hilo leí texto de fuera. Puede que ese texto lo haya pedido.
consent-owner-only = Varias personas han intervenido en este trabajo, así que solo { $who } puede decidir, cada vez de nuevo.
consent-until = Espero hasta { $when }.
consent-in-file = Todo está en el archivo `{ $file }`, más arriba.
consent-fingerprint = Huella `{ $digest }`
consent-not-shown = No pude mostrarlo todo, así que nadie puede aprobarlo. Solo se puede rechazar.
consent-sent-shown = Adjunto, y publicado arriba: { $files }.
consent-sent-hidden = No puedo mostrarte lo que se enviaría adjunto, así que no se puede aprobar: { $files }.
consent-button-approve = Aprobar
consent-button-approve-thread = Aprobar para este hilo
consent-button-reject = Rechazar…
consent-button-edit = Cambiar…
consent-button-details = Todos los detalles
consent-button-link = Mostrar mi enlace
consent-button-skip = Omitir
consent-button-check = Ya lo conecté
consent-decided-approved = Aprobado por { $who }, { $when }
consent-decided-approved-thread = Aprobado para este hilo por { $who }, { $when }
consent-decided-rejected = Rechazado por { $who }, { $when }
consent-decided-rejected-because = Rechazado por { $who }, { $when }: «{ $reason }»
consent-decided-expired = Nadie decidió a tiempo, así que no se hizo.
consent-decided-overtaken = No se hizo: antes se detuvo el trabajo o se escribió algo nuevo.
consent-decided-replaced = Sustituida por la petición de más abajo.
consent-decided-void = No se hizo: lo que había que hacer cambió, así que ninguna aprobación encaja.
consent-decided-edited = Cambiado por { $who }, { $when }
consent-changed = Cambiado: { $what } «{ $before }» → «{ $after }»
consent-changed-text = Cambiado: { $what }, como abajo
consent-reason-title = Rechazar
consent-reason-label = ¿Por qué?
consent-reason-hint = El agente lo lee y puede proponer una vez la acción cambiada.
consent-cancel = Cancelar
consent-close = Cerrar
consent-edit-title = Cambiar antes
consent-edit-save = Guardar
consent-part-to = Para
consent-part-cc = Copia
consent-part-bcc = Copia oculta
consent-part-subject = Asunto
consent-part-body = Texto
consent-part-attachment =
    { $n ->
        [one] Adjunto
       *[other] Adjuntos
    }
consent-part-title = Título
consent-part-start = Empieza
consent-part-end = Termina
consent-part-zone = Zona horaria
consent-part-people = Invitados
consent-part-place = Lugar
consent-part-about = Descripción
consent-part-channel = Canal
consent-part-text = Mensaje
consent-part-answer = Mi respuesta empieza
consent-part-report = Su informe
consent-part-asked = Preguntado
consent-part-correction = Dirá
consent-own-remove = Eliminar una respuesta mía para siempre
consent-own-correct = Corregir una respuesta mía
consent-own-account = Decir en este hilo qué cuentas has conectado y cuánto has usado
consent-own-read = Contar en este hilo lo que se publicó en un canal que puedes leer
consent-to-connect = Esperando hasta { $when } a que { $who } conecte { $what }.
consent-link = Conecta { $what } para que pueda seguir. El enlace es solo para ti: quien lo abra conecta su propia cuenta en tu nombre.
consent-connect = Conectar { $what }
consent-ended-connected =
    { $n ->
        [one] { $what } conectado por { $who }
       *[other] { $what } conectados por { $who }
    }
consent-ended-skipped =
    { $n ->
        [one] { $who } omitió conectar { $what }
       *[other] { $who } omitió conectar { $what }
    }
consent-ended-expired =
    { $n ->
        [one] { $what } no se conectó a tiempo
       *[other] { $what } no se conectaron a tiempo
    }
consent-ended-overtaken =
    { $n ->
        [one] { $what } no se conectó: el trabajo se detuvo, o siguió con un mensaje nuevo
       *[other] { $what } no se conectaron: el trabajo se detuvo, o siguió con un mensaje nuevo
    }
consent-refusal-not-yours = { $n ->
    [one] Solo { $who } puede decidirlo.
   *[other] Tiene que decidirlo una de estas personas: { $who }.
 }
consent-refusal-not-your-words = Solo { $who } puede cambiar el texto; puedes aprobarlo o rechazarlo.
consent-refusal-not-your-link = Solo { $who } puede conectar una cuenta aquí u omitirlo.
consent-refusal-busy = Estoy leyendo lo que se acaba de escribir. Pulsa otra vez en un momento.
consent-refusal-over = Es demasiado tarde: esto ha terminado.
consent-refusal-decided = Esto ya está decidido.
consent-refusal-unknown = No sé nada de esto aquí, así que no hice nada.
consent-refusal-no-link = Ahora no consigo un enlace. Pulsa «Mostrar mi enlace» dentro de un momento.
consent-refusal-tainted = Entretanto se leyó texto de fuera en este hilo, así que cada paso se decide por separado. Pulsa «Aprobar» o «Rechazar».
consent-refusal-press-again = No funcionó. Pulsa el botón otra vez, por favor.
consent-refusal-not-connected-yet = Parece que aún no está conectado. Sigo mirando.
consent-refusal-not-editable = Esto ya no se puede cambiar aquí. Recházalo y di qué debe ser distinto.

## Ingress: what is said to people whose message is not simply answered

ingress-parked = Algo salió mal por mi parte. Tengo tu mensaje y sigo intentándolo; no hace falta que lo envíes otra vez.
ingress-begun = Ya había empezado; escribe la corrección en un mensaje nuevo.
ingress-refusal-unknown-user = No pude averiguar quién eres en Slack, así que no puedo trabajar para ti.
ingress-refusal-guest = Estás aquí como invitado, y solo puedo trabajar para miembros de pleno derecho de este espacio de trabajo.
ingress-refusal-stranger = Perteneces a otro espacio de trabajo, y solo puedo trabajar para los miembros de este.
ingress-refusal-channel-not-listed = No tengo permiso para trabajar en esta conversación.
ingress-refusal-user-not-listed = No estás en la lista de personas para las que puedo trabajar.
ingress-in-vain = No ha funcionado. Inténtalo de nuevo en un momento.
ingress-left-out-too-big = Dejé fuera “{$name}”: pesa más de {$max_mb} MB.
ingress-left-out-not-given = Dejé fuera “{$name}”: Slack no me dejó descargarlo.
ingress-left-out-not-saved = Dejé fuera “{$name}”: no se pudo guardar.
ingress-left-out-gone = Dejé fuera “{$name}”: se borró de Slack mientras tanto.
ingress-left-out-rest = Me ocupo del resto de tu mensaje.
ingress-late = No estaba cuando llegaron estos mensajes, hace más de un día, así que no los he contestado. Si alguno todavía importa, vuelve a preguntarme.
ingress-late-more = … y {$count} más antiguos.

## Home and the slash command

home-intro = Busco, leo, comparo, escribo informes y trabajo en vuestras aplicaciones, para ti y tu equipo. Mencióname en un canal o escríbeme aquí.
home-waiting = Te espera
home-waits-question = Una pregunta
home-waits-approval = Una aprobación
home-waits-connection = Una cuenta por conectar
home-sessions = Tus hilos
home-no-sessions = Todavía nada. Mencióname en un canal o escríbeme aquí.
home-more = y { $n } más
home-stop = Detener
home-no = Conservar
home-delete = Borrar archivos
home-delete-sure = Todos los archivos de este hilo se borran para siempre. Los mensajes quedan.
home-deleted = Los archivos de ese hilo están borrados.
home-not-deleted = En ese hilo todavía se trabaja, o está bajo retención legal, así que no borré nada. Detén primero el trabajo.
home-not-yours = Solo puede hacerlo quien empezó ese hilo.
home-stopped = Detenido. Lo encontrado hasta ahora está en el hilo.
home-nothing-running = Ahora mismo no estoy trabajando en nada para ti.
home-nothing-here = En este canal no estoy trabajando en nada para ti.
home-in-private = en una conversación privada
home-accounts = Cuentas conectadas
home-no-accounts = No hay ninguna cuenta conectada.
home-connect = Conectar una app
home-disconnect = Desconectar
home-disconnect-sure = Ya no podré usar { $what } por ti, en ningún hilo.
home-disconnected = { $what } está desconectado.
home-apps-away = Ahora no puedo consultar tus cuentas. Inténtalo de nuevo en un momento.
home-this-month = Este mes
home-usage =
    { $n ->
        [one] { $n } petición
       *[other] { $n } peticiones
    }, { $reports ->
        [one] { $reports } informe
       *[other] { $reports } informes
    }, { $pages ->
        [one] { $pages } página leída
       *[other] { $pages } páginas leídas
    }, { $minutes ->
        [one] { $minutes } minuto de trabajo
       *[other] { $minutes } minutos de trabajo
    }
home-usage-tokens = { $usage }, { $tokens } tokens, { $cost } $
home-usage-unpriced = { $usage } (sin { $n } llamadas a modelos cuyo precio no conozco)
home-recent = El { $simple } % de las peticiones se respondió al momento (se descartó el { $fallbacks } % de las respuestas rápidas), la mitad en { $half } s como máximo y el 95 % en { $most } s. Falló el { $errors } % de los accesos a aplicaciones y a la red.
home-preferences = Preferencias
home-language = Idioma de mis respuestas para ti
home-language-auto = El idioma en que escribes
home-digest-time = Hora habitual de los nuevos resúmenes
home-erase = Borrar todo sobre mí
home-erase-what = *Tus datos:* los hilos que empezaste se van con sus archivos. En los hilos que empezaron otros se va lo que pediste y todo lo que escribí e hice allí. También se van tus resúmenes, preferencias y valoraciones. Los mensajes en Slack, las cuentas en Composio, las copias de seguridad y lo que está bajo retención legal se quedan, y el registro guarda identificadores.
home-erase-sure = Detengo lo que trabaja con tus palabras y borro para siempre lo que guardo de ti. Los mensajes en Slack, las cuentas en Composio, las copias anteriores y lo retenido legalmente se quedan.
home-erased =
    Borrado: lo que guardaba de ti en { $n ->
        [one] { $n } hilo
       *[other] { $n } hilos
     }, y tus resúmenes y preferencias. { $left ->
        [0] Los mensajes en Slack, las cuentas en Composio y las copias anteriores se quedan.
       *[other] En { $left } más no borré nada: están bajo retención legal o se trabajaba allí. Los mensajes en Slack, las cuentas en Composio y las copias anteriores se quedan.
     }
home-team = Ajustes para administradores
home-follow-ups = Contestar a respuestas que no me mencionan
home-channel = Elige un canal
home-follow-ups-meant = Cuando es para mí
home-follow-ups-two-party = En hilos entre una persona y yo
home-follow-ups-mention = Nunca sin mención
home-buttons = Puedes cambiarlo en mi pestaña Inicio.
home-help = Mencióname en un canal o escríbeme, y me pongo a ello. Aquí puedes pedir:
    `{ $command } status` · en qué trabajo para ti
    `{ $command } stop` · terminar mi trabajo para ti en este canal
    `{ $command } schedules` · tus resúmenes
    `{ $command } connections` · tus cuentas conectadas
    `{ $command } usage` · lo que has usado este mes
    `{ $command } help` · esta lista
home-unknown = No conozco «{ $command } { $what }». «{ $command } help» muestra lo que hay; para una pregunta o una tarea, mencióname en un canal o escríbeme.
home-state-queued = en espera de su turno
home-state-running = en curso
home-state-waiting = espera una respuesta
home-state-answered = respondida
home-state-limited = dejado antes de tiempo
home-state-stopped = detenida
home-state-failed = fallida
home-prompt-report = Escribe un informe completo sobre cómo mantener fiables los chatbots
home-prompt-compare = Compara las bombas de calor, el almacenamiento en baterías y la energía eólica
home-prompt-news = ¿Qué hay de nuevo sobre las baterías en la red eléctrica?
home-prompt-again = ¿Qué hay de nuevo sobre «{ $what }»?
home-prompt-digest = Cada día laborable a las 9 publica aquí un resumen sobre almacenamiento en baterías

## Feedback on answers

feedback-up = Buena respuesta
feedback-down = Mala respuesta
feedback-thanks = Gracias, anotado.

## The live view

live-button = Abrir la vista en directo
live-link = <{ $url }|Abrir la vista en directo> de este hilo. El enlace es solo para ti, funciona una vez y vale 10 minutos.
live-enter = Abrir como { $name }
live-off = La vista en directo está apagada ahora.
live-how = Esta página es privada. En Slack, pulsa «Abrir la vista en directo» bajo un mensaje de progreso: te da un enlace propio.
live-over = Este enlace ya se ha usado o tiene más de 10 minutos. Pulsa «Abrir la vista en directo» en Slack para tener uno nuevo.
live-not-yours = Esta vista en directo es para miembros de este espacio de trabajo que pueden ver el hilo.
live-not-from-here = Solo se responde a las páginas de esta dirección.
live-no-file = Ese archivo no existe.
live-away = Eso no se puede hacer en este momento. Inténtalo de nuevo.
live-asked = { $who } ha preguntado en la vista en directo:
live-wrote = { $who } ha escrito en la vista en directo:
live-picked = { $who } pregunta:
live-picked-before = Eso ya se ha preguntado: mira más abajo en este hilo.
live-again = Haz esta parte otra vez, por favor.
live-unreadable = Ese mensaje no se puede leer.
live-empty = No hay nada escrito.
live-too-long = Es demasiado largo: puede tener { $max } caracteres.
live-only-look = Aquí puedes leer, pero no actuar.
live-too-fast = Eso ha sido mucho de una vez. Inténtalo de nuevo en unos segundos.
live-no-change = Eso no cambiaría nada aquí.
live-not-asked = Ya nadie espera esta respuesta.
live-question-not-yours = Se lo pregunté a { $who }, y solo { $who } puede responder.
live-not-there = Esa parte del trabajo ha terminado o no existe.
setting-proposal = Esto valdría desde entonces:
    { $wanted }
    Ahora vale:
    { $now }
    Nada cambia hasta que un admin o quien gestiona el canal pulse el botón.
setting-agree = Ajustarlo así
setting-changed = { $who } cambió cómo trabajo:
    { $values }
setting-name = { $name ->
    [instructions] Cómo respondo
    [model] Modelo
    [tools] Lo que puedo usar
    [follow_ups] Respuestas sin mención
    [budget] Presupuesto al mes
    [guests] Invitados del espacio de trabajo
    [digests] Digests
    [approvals] Lo que tiene efecto
    [cite_or_stay_silent] Respuestas sin fuente
    [footer] Páginas, tiempo y coste bajo una respuesta
    [keep_workspaces_days] Se guardan los archivos
    [keep_transcripts_days] Se guardan las conversaciones
   *[keep_reports_days] Se guardan los informes
    }
setting-value = { $case ->
    [instructions-] en el idioma y la extensión que convienen
    [model-main] el grande
    [model-small] el pequeño
    [tools-all] todas
    [follow_ups-meant] cuando son para mí
    [follow_ups-two_party] en hilos de una persona y yo
    [follow_ups-mention] nunca
    [budget-] sin límite
    [guests-true] pueden preguntarme
    [guests-false] no pueden preguntarme
    [digests-true] se pueden pedir
    [digests-false] no se pueden pedir
    [approvals-policy] según las reglas
    [approvals-ask] siempre tras preguntar
    [approvals-refuse] nunca
    [cite_or_stay_silent-true] se retienen
    [cite_or_stay_silent-false] se dan
    [footer-true] se muestran
    [footer-false] no se muestran
    [keep_workspaces_days-] para siempre
    [keep_transcripts_days-] para siempre
    [keep_reports_days-] para siempre
    [days] { $value } días
    [budget] { $value } $
   *[other] { $value }
    }
setting-line = • *{ setting-name }*: { $value } · _{ $origin ->
    [default] como siempre
    [environment] de mi configuración
    [team] para todo el equipo
    [channel] para este canal
    [thread] para este hilo
   *[file] del archivo de quien me opera, que prevalece
    }_
setting-not-yours = { $who ->
    [NOBODY] Solo un admin del espacio puede cambiarlo. Pida a uno que me lo diga o que pulse el botón.
   *[other] Solo un admin del espacio y <@{ $who }>, que gestiona este canal, pueden cambiarlo. Pida a alguien de ellos que me lo diga o que pulse el botón.
    }
setting-in-file = *{ setting-name }* está en el archivo de quien me opera, y ese prevalece. Quien me opera puede cambiarlo allí.
setting-unknown = No existe el ajuste *{ $name }*. ¿Quería decir *{ $near }*?
setting-wrong = *{ setting-name }* no puede tener ese valor. «¿Qué está ajustado aquí?» muestra lo que vale ahora.

why = { $state ->
    [queued] Lo tengo, y me pongo con ello en cuanto termine lo que había antes en el hilo.
    [running] Estoy trabajando en ello.
    [waiting] Espero en el hilo a que alguien decida o responda.
    [answered] Respondí en su hilo.
    [limited] Respondí en su hilo con lo que tenía cuando se alcanzó un límite.
    [stopped] Alguien detuvo el trabajo.
    [failed] No pude hacerlo, y lo dije en su hilo.
    [steered] Llegó mientras ya trabajaba en su hilo, y pasó a formar parte de ese trabajo.
    [set_aside] Lo aparté: cada vez que trabajaba en ello, fallaba por completo. Pregúntalo de otra manera, por favor.
    [received] Lo he recibido, y lo miro en cuanto pueda.
    [settled] Lo resolví enseguida: era sobre un resumen o una parada, o se borró.
    [not_ours] No era para mí: no me menciona, y no participo en su hilo.
    [mention_only] Aquí solo respondo cuando me mencionan.
    [two_party] En un hilo de varias personas aquí solo respondo cuando me mencionan.
    [reaction] Era un agradecimiento, una risa o algo parecido, y eso lo dejo sin respuesta.
    [others] En un hilo de varias personas parecía dirigido a otra. Con una mención es seguro.
    [unknown_user] No pude averiguar quién lo escribió.
    [guest] Lo escribió una persona invitada, y solo puedo trabajar para miembros de pleno derecho.
    [stranger] Quien lo escribió es de otro espacio de trabajo.
    [deactivated] La cuenta de quien lo escribió está desactivada.
    [channel_not_listed] No puedo trabajar en esa conversación.
    [user_not_listed] Quien lo escribió no está en la lista de personas para las que puedo trabajar.
    [bot] Lo escribió una aplicación, y no respondo a mensajes de aplicaciones.
    [heard] Estaba escuchando cuando llegó, y no era para mí: ni mención ni hilo mío. De lo que tiene más de una semana ya no me acuerdo.
    [others_post] Eso solo se lo digo a quien escribió el mensaje.
   *[unheard] No lo he visto. Quizá no estoy en ese canal, o no estaba en marcha; lo que me perdí lo leo en cuanto vuelvo a funcionar.
}

## Money

answer-pages = { $n ->
    [one] una página
   *[other] { $n } páginas
 }
cap-near = { $kind ->
    [person] { $who } ha
    [thread] Un hilo de { $who } ha
    [channel] { $who } ha
   *[team] Este espacio de trabajo ha
 } gastado más del 80 % del presupuesto de este mes, { $usd }. Cuando se agote, termino lo que está en curso con lo que tengo y no acepto nada nuevo hasta el mes que viene, salvo que se aumente.
