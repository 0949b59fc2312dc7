/** What the renderer may know and do: the `ctx` of PAGE's contract, for a post or a view. */

/** For the blocks of a post. */
export function postContext(app, channel, ts) {
  return context(app, {
    onAction: (action) => app.attempt("click", { channel, ts, ...action }),
    suggest: (actionId, typed) => suggest(app, { channel, ts, action_id: actionId, typed }),
  });
}

/** For the blocks of a modal or of App Home. */
export function viewContext(app, viewId) {
  return context(app, {
    onAction: (action) => app.attempt("click_view", { view_id: viewId, ...action }),
    suggest: (actionId, typed) => suggest(app, { view_id: viewId, action_id: actionId, typed }),
  });
}

function context(app, doings) {
  const { store } = app;
  return {
    me: store.me,
    bot: store.bot,
    users: store.world.users,
    channels: [...store.channels.values()],
    here: app.places.place.channel,
    now: () => store.now(),
    openFile: (file) => app.places.openFile(file),
    openChannel: (id) => app.places.goTo(id),
    openUser: (id) => app.openProfile(id),
    ...doings,
  };
}

async function suggest(app, body) {
  const answer = await app.attempt("suggest", body);
  return answer?.options ?? [];
}
