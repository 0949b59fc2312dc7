/** Who someone is: opened from a name or a mention. */

import { avatar } from "./avatar.js";
import { h } from "./dom.js";
import { fullName, userName } from "./names.js";
import { closePopup, openPopup } from "./popup.js";

/** Opens the card beside `anchor`. */
export function openProfile(id, anchor, app) {
  const { store } = app;
  const user = store.user(id) ?? { id };
  const isBot = id === store.bot.user_id;
  const facts = [
    ["Name", user.name],
    ["Email", user.profile?.email],
    ["Time zone", user.tz],
    ["Member id", id],
  ].filter(([, value]) => value);
  const message = h("button", {
    type: "button", class: "button is-small", text: "Message",
    on: {
      click: () => {
        closePopup();
        app.places.goTo(store.botChannel.id);
        app.focusComposer();
      },
    },
  });
  const card = h("div", { class: "profile" },
    avatar(user, store, "l"),
    h("h3", { text: fullName(user) || userName(user) }),
    user.is_bot ? h("span", { class: "app-badge", text: "App" }) : null,
    h("dl", {}, ...facts.flatMap(([name, value]) => [h("dt", { text: name }), h("dd", { text: value })])),
    isBot && store.botChannel ? message : null);
  openPopup(anchor, card, { label: `Profile of ${userName(user)}` });
}
