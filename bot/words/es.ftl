# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.

## Digests

digest-understood = *{ $task }*
    { $when }, en { $channel }
    Próximos: { $next }
digest-only-news = Publico solo cuando hay algo nuevo.
digest-says-no-news = Si no hay nada nuevo, lo digo en una línea.
digest-shall-i = ¿Lo hago así?
digest-in-private = nuestros mensajes directos
digest-ask-time = ¿A qué hora? Por ejemplo «a las 9» (tu zona horaria es { $zone }).
digest-ask-day = ¿Qué días? Por ejemplo «todos los lunes a las 9».
digest-ask-task = ¿De qué debe tratar el digest?
digest-ask-channel = ¿En qué canal? Nombra uno solo, por ejemplo «en #noticias».
digest-scheduled = Programado como digest { $n }, pedido por { $who }: *{ $task }*
    { $when }, en { $channel }
    Próximos: { $next }
digest-not-scheduled = No programado.
digest-refusal-unreadable = No entendí cuándo. Por ejemplo: «cada día laborable a las 9».
digest-refusal-unknown-zone = No conozco esa zona horaria. Por ejemplo: «a las 9 Europe/Madrid».
digest-refusal-too-often = Es demasiado a menudo: un digest llega como máximo cada 15 minutos.
digest-refusal-never = Ese día no existe en los próximos diez años. Indica otro, por favor.
digest-refusal-over = Todas esas fechas ya pasaron.
digest-refusal-unknown-channel = No veo ningún canal { $channel }. Invítame y pídelo otra vez.
digest-refusal-bot-not-there = No estoy en { $channel }. Invítame y pídelo otra vez.
digest-refusal-not-allowed = No puedo trabajar en { $channel }.
digest-refusal-asker-not-there = No estás en { $channel }. Únete y pídelo otra vez.
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
digest-button-pause = Pausar
digest-button-resume = Reanudar
digest-button-run = Ejecutar ahora
digest-button-edit = Editar
digest-button-delete = Eliminar
digest-button-new = Nuevo digest
digest-listed = Digests
digest-more = Y { $n } más. Nombra uno por su número: «edita el digest 21».
digest-none = Aquí no hay digests. Pide uno, por ejemplo: «publica cada día laborable a las 9 un digest sobre baterías en #energia».
digest-paused = El digest { $n } (*{ $task }*) está en pausa. «Reanuda el digest { $n }» lo pone en marcha.
digest-resumed = El digest { $n } (*{ $task }*) sigue. Próximos: { $next }
digest-deleted = El digest { $n } (*{ $task }*) está eliminado. Lo que publicó se queda.
digest-started = El digest { $n } (*{ $task }*) se está preparando.
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
digest-why-may-not-post = no puedo publicar en su canal
digest-form-title = Digest
digest-form-task = ¿De qué trata?
digest-form-channel = ¿En qué canal?
digest-form-news = Si no hay nada nuevo
digest-news-post = Publicar de todos modos
digest-news-say-so = Decirlo en una línea
digest-news-silent = No publicar nada
digest-form-save = Guardar
digest-first = Este es el primero.
digest-news-since = Novedades desde { $when }: { $count } de { $of }.
digest-no-news-since = Nada nuevo desde { $when }.
digest-late = Con retraso: estaba previsto para { $when }.
digest-left-out = { $n ->
    [one] { $n } anterior se omitió.
   *[other] { $n } anteriores se omitieron.
 }
digest-new-mark = nuevo
digest-by-hand = Preparado a petición, aparte de sus horas habituales.
digest-footer = Digest { $n } · { $when } · pedido por { $who } · responde aquí para continuar
digest-failed = El digest { $n } (*{ $task }*) no salió bien esta vez. Lo intentaré de nuevo.
digest-paused-because = El digest { $n } (*{ $task }*) está en pausa: { $why }. «Reanuda el digest { $n }» lo pone en marcha.
digest-reads = Leeré lo que se publique en { $reads }.
digest-reads-not = No puedo leer { $reads }. Mientras no me inviten allí, el digest solo dirá eso.
digest-agree = Para aceptar, pulsa «Confirmar» o responde «sí».
digest-away = Ahora mismo no puedo leer eso. Si quieres un digest, también sirve un formulario.
digest-form-days = ¿Qué días?
digest-form-time = ¿A qué hora? Por ejemplo 09:00 ({ $zone })
digest-form-time-unclear = Escribe la hora así: 09:00.
