/** Sending what was written: a post, with or without files, or a slash command. A failure gives it back. */

const COMMAND = /^(\/\S+)(?:\s+([\s\S]*))?$/;

/** Sends `message`; if it fails, the draft is whole again and `reload()` shows it. */
export async function send(message, app, reload) {
  const command = COMMAND.exec(message.text);
  const done = command ? await runCommand(command, message, app) : await say(message, app);
  if (done) return;
  app.drafts.restore(message.place, message.text, message.files);
  reload();
}

function say({ channel, thread, text, files, broadcast }, app) {
  const message = { channel, text };
  if (thread) Object.assign(message, { thread_ts: thread, broadcast });
  return app.tried(() => app.acts.say(message, files));
}

async function runCommand([, command, text = ""], { channel, files }, app) {
  const isKnown = app.store.world.commands.some((known) => known.command === command);
  if (!isKnown) {
    app.toasts.fail(`${command} is not a command of this app.`);
    return null;
  }
  if (files.length > 0) {
    app.toasts.fail("A command cannot carry files.");
    return null;
  }
  return app.attempt("slash", { channel, command, text });
}
