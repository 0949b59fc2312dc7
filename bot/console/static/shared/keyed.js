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
    const before = this.entries;
    this.entries = new Map(rows.map((row) => [row.key, before.get(row.key) ?? this.create(row)]));
    for (const [key, { node }] of before) {
      if (!this.entries.has(key)) node.remove();
    }
    const added = [];
    let cursor = this.parent.firstChild;
    for (const row of rows) {
      const entry = this.entries.get(row.key);
      if (before.has(row.key)) entry.update(row);
      else added.push(entry.node);
      if (entry.node === cursor) cursor = cursor.nextSibling;
      else this.parent.insertBefore(entry.node, cursor);
    }
    return added;
  }
}
