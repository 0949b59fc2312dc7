/** What stands above the first post of a channel: its name and what it is for. */

import { avatar } from "./avatar.js";
import { h, setText } from "./dom.js";
import { icon } from "./icons.js";
import { channelIcon, channelName, otherMembers, placeName } from "./names.js";

export class Intro {
  constructor(app) {
    this.app = app;
    this.mark = h("span", { class: "intro-mark" });
    this.title = h("h2");
    this.words = h("p");
    this.node = h("div", { class: "intro" }, this.mark, this.title, this.words);
  }

  update(channel) {
    const { store } = this.app;
    const isDirect = channel.is_im || channel.is_mpim;
    const look = `${channel.id}/${channel.is_archived}/${store.me}`;
    if (this.look !== look) {
      this.look = look;
      const [other] = otherMembers(channel, store);
      this.mark.replaceChildren(isDirect ? avatar(store.user(other), store, "l") : icon(channelIcon(channel)));
    }
    setText(this.title, isDirect ? channelName(channel, store) : placeName(channel, store));
    setText(this.words, isDirect ? this.directWords(channel) : channelWords(channel));
  }

  directWords(channel) {
    const { store } = this.app;
    const isBot = otherMembers(channel, store).includes(store.bot.user_id);
    if (isBot) return `Everything you write here goes to ${store.bot.name}. No mention is needed.`;
    return `A conversation between you and ${channelName(channel, store)}.`;
  }
}

function channelWords(channel) {
  const purpose = channel.purpose?.value || channel.topic?.value || "";
  const start = channel.is_private ? "This is the beginning of a private channel." : "This is the beginning of the channel.";
  return purpose ? `${start} ${purpose}` : start;
}
