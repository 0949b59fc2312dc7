/** What stands above the first post of a channel: its name and what it is for. */

import { avatar } from "./avatar.js";
import { h, setText, show } from "./dom.js";
import { icon } from "./icons.js";
import { channelIcon, channelName, mayPost, otherMembers, placeName } from "./names.js";

const TRY_ASKING = "Write a comprehensive report on keeping chat bots reliable";

export class Intro {
  constructor(app) {
    this.app = app;
    this.mark = h("span", { class: "intro-mark" });
    this.title = h("h2");
    this.words = h("p");
    this.example = h("span", { class: "intro-example" });
    this.use = h("button", { type: "button", class: "button is-small", text: "Use this", on: { click: () => this.suggest() } });
    this.tip = h("p", { class: "intro-tip", hidden: true }, "Try: ", this.example, this.use);
    this.node = h("div", { class: "intro" }, this.mark, this.title, this.words, this.tip);
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
    setText(this.example, this.request);
    show(this.tip, !isDirect && this.isWaitingForRequest(channel));
  }

  /** What one could ask the bot for. */
  get request() {
    return `@${this.app.store.bot.name} ${TRY_ASKING}`;
  }

  /** Whether nothing was said yet in a channel where the bot listens and the person may write. */
  isWaitingForRequest(channel) {
    const { store } = this.app;
    const isHeard = (channel.members ?? []).includes(store.bot.user_id);
    return isHeard && mayPost(channel) && store.postsOf(channel.id).inChannel.length === 0;
  }

  /** The request is in the composer, to be changed or sent. */
  suggest() {
    const { composer } = this.app.view;
    composer.replace(0, composer.area.value.length, this.request);
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
