"""Digests in Spanish."""

from bot.digests.words.shape import Words

SPANISH = Words(
    understood="*{task}*\n{when}, en {channel}\nPróximos: {next}",
    only_news="Publico solo cuando hay algo nuevo.",
    says_no_news="Si no hay nada nuevo, lo digo en una línea.",
    shall_i="¿Lo hago así?",
    in_private="nuestros mensajes directos",
    ask={
        "time": "¿A qué hora? Por ejemplo «a las 9» (tu zona horaria es {zone}).",
        "day": "¿Qué días? Por ejemplo «todos los lunes a las 9».",
        "task": "¿De qué debe tratar el digest?",
        "zone": "¿Qué zona horaria? Por ejemplo «a las 9 Europe/Madrid».",
        "channel": "¿En qué canal? Nombra uno solo, por ejemplo «en #noticias».",
    },
    ask_which_rule=(
        "Un digest sigue una sola regla. ¿Cuál tomo: «{first}» o «{second}»? "
        "La otra puede ser un digest aparte."
    ),
    scheduled=(
        "Programado como digest {n}, pedido por {who}: *{task}*\n"
        "{when}, en {channel}\nPróximos: {next}"
    ),
    not_scheduled="No programado.",
    refusals={
        "unreadable": "No entendí cuándo. Por ejemplo: «cada día laborable a las 9».",
        "unknown_zone": "No conozco esa zona horaria. Por ejemplo: «a las 9 Europe/Madrid».",
        "too_often": "Es demasiado a menudo: un digest llega como máximo cada 15 minutos.",
        "never": "Ese día no existe en los próximos diez años. Indica otro, por favor.",
        "over": "Todas esas fechas ya pasaron.",
        "unknown_channel": "No veo ningún canal {channel}. Invítame y pídelo otra vez.",
        "bot_not_there": "No estoy en {channel}. Invítame y pídelo otra vez.",
        "not_allowed": "No puedo trabajar en {channel}.",
        "asker_not_there": "No estás en {channel}. Únete y pídelo otra vez.",
        "team_full": "Este espacio de trabajo tiene {n} digests. No puedo llevar más.",
        "place_full": "{channel} tiene {n} digests. No puedo llevar más ahí.",
        "person_full": "Tienes {n} digests. No puedo llevar más para una persona.",
        "not_yours": "Solo {who}, que lo pidió, y los admins pueden cambiar el digest {n}.",
        "not_yours_yet": "Solo {who}, que lo pidió, puede decidirlo.",
        "not_there": "No existe ese digest. «Lista los digests» los muestra todos.",
        "which": "¿Cuál? Indica su número:",
        "already_running": "El digest {n} se está preparando ahora mismo.",
        "press_again": "Eso tardó demasiado. Pulsa el botón otra vez, por favor.",
    },
    buttons={
        "confirm": "Confirmar",
        "change": "Cambiar",
        "cancel": "Cancelar",
        "pause": "Pausar",
        "resume": "Reanudar",
        "run": "Ejecutar ahora",
        "edit": "Editar",
        "delete": "Eliminar",
        "new": "Nuevo digest",
    },
    listed="Digests",
    more="Y {n} más. Nombra uno por su número: «edita el digest 21».",
    none=(
        "Aquí no hay digests. Pide uno, por ejemplo: "
        "«publica cada día laborable a las 9 un digest sobre baterías en #energia»."
    ),
    paused="El digest {n} (*{task}*) está en pausa. «Reanuda el digest {n}» lo pone en marcha.",
    resumed="El digest {n} (*{task}*) sigue. Próximos: {next}",
    deleted="El digest {n} (*{task}*) está eliminado. Lo que publicó se queda.",
    started="El digest {n} (*{task}*) se está preparando.",
    changed="El digest {n} ha cambiado: *{task}*\n{when}, en {channel}\nPróximos: {next}",
    is_paused="en pausa",
    is_paused_because="en pausa: {why}",
    is_over="terminado",
    next_is="próximo: {next}",
    why_paused={
        "failing": "falló tres veces seguidas",
        "owner_left": "quien lo pidió ya no está en el canal o en el espacio de trabajo",
        "place_closed": "su canal está archivado o ya no existe",
        "not_in_place": "ya no estoy en su canal",
        "may_not_post": "no puedo publicar en su canal",
    },
    form_title="Digest",
    form_task="¿De qué trata?",
    form_when="¿Cuándo? Por ejemplo: cada día laborable a las 9",
    form_channel="¿En qué canal?",
    form_news="Si no hay nada nuevo",
    news_post="Publicar de todos modos",
    news_say_so="Decirlo en una línea",
    news_silent="No publicar nada",
    form_save="Guardar",
    form_unclear="Indica días y hora, por ejemplo: cada día laborable a las 9",
    first="Este es el primero.",
    news_since="Novedades desde {when}: {count} de {of}.",
    no_news_since="Nada nuevo desde {when}.",
    late="Con retraso: estaba previsto para {when}.",
    left_out=("{n} anterior se omitió.", "{n} anteriores se omitieron."),
    new_mark="nuevo",
    by_hand="Preparado a petición, aparte de sus horas habituales.",
    footer="Digest {n} · {when} · pedido por {who} · responde aquí para continuar",
    failed="El digest {n} (*{task}*) no salió bien esta vez. Lo intentaré de nuevo.",
    paused_because=(
        "El digest {n} (*{task}*) está en pausa: {why}. «Reanuda el digest {n}» lo pone en marcha."
    ),
)
