/** App Home: the view that the app published for the present person. */

import { carryOver, view as renderView } from "../render/view.js";
import { viewContext } from "./context.js";
import { h, show } from "./dom.js";
import { botMark } from "./icons.js";

export class HomeTab {
  constructor(app) {
    this.app = app;
    this.body = h("div", { class: "home-body" });
    this.node = h("div", { class: "home", role: "tabpanel", "aria-label": "Home", tabindex: "0", hidden: true }, this.body);
  }

  update(isShown) {
    show(this.node, isShown);
    const { store } = this.app;
    const home = store.world.home;
    const mark = `${store.me}|${JSON.stringify(home)}`;
    if (!isShown || this.mark === mark) return;
    this.mark = mark;
    const content = home ? renderView(home, viewContext(this.app, home.id)) : this.empty();
    carryOver(this.body, content);
    this.body.replaceChildren(content);
  }

  empty() {
    return h("div", { class: "empty" },
      h("span", { class: "avatar avatar-l is-bot", "aria-hidden": "true" }, botMark()),
      h("h2", { text: "Nothing here yet" }),
      h("p", { text: `${this.app.store.bot.name} has not published a Home for you.` }));
  }
}
