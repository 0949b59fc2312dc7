/** Keyed lists: an entry whose row did not change keeps its DOM node, its selection and its state. */

/**
 * Keeps the children of `parent` in step with rows that have a `key`. `create(row)` gives
 * `{node, update(row)}`; `update` is called with every later row of the same key.
 */
export class KeyedList {
  constructor(parent, create) {
    this.parent = parent;
    this.create = create;
    this.entries = new Map();
  }

  /** Brings the children in line; returns the nodes that are new. */
  update(rows) {
    const added = [];
    const next = new Map(rows.map((row) => [row.key, this.entryFor(row, added)]));
    this.removeOthers(next);
    this.place(next);
    this.entries = next;
    return added;
  }

  node(key) {
    return this.entries.get(key)?.node ?? null;
  }

  entryFor(row, added) {
    const known = this.entries.get(row.key);
    if (known) {
      known.update(row);
      return known;
    }
    const entry = this.create(row);
    added.push(entry.node);
    return entry;
  }

  removeOthers(next) {
    for (const [key, entry] of this.entries) {
      if (!next.has(key)) entry.node.remove();
    }
  }

  place(next) {
    let cursor = this.parent.firstChild;
    for (const { node } of next.values()) {
      if (node === cursor) cursor = cursor.nextSibling;
      else this.parent.insertBefore(node, cursor);
    }
  }
}
