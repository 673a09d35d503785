// @ts-check
/**
 * A driver for `isolab run history.jsonl --db module:./my-driver.mjs --isolation snapshot`. The "database" is a map in this
 * process with snapshot isolation. Replace the bodies of the methods with calls to your database's client, and try it after
 * each step: `isolab test ./my-driver.mjs`. docs/drivers.md of isolab specifies each method.
 */

/** Error if the database undid the transaction. For a lost connection, the outcome is 'lost'. */
const aborted = (/** @type {string} */ why) => Object.assign(new Error(why), { outcome: 'aborted' });

/** @typedef {number | string} Key */
/** @typedef {{ readonly value: any, readonly version: number }} Entry */

/** One client. A method may return a promise; requests of one session come one after another. */
class Session {
  /** @param {{ content: Map<Key, Entry>, version: number }} store */
  constructor(store) {
    this.store = store;
    this.snapshot = new Map(store.content);
    /** @type {Map<Key, any>} */
    this.writes = new Map();
  }

  begin() {
    this.snapshot = new Map(this.store.content);
    this.writes = new Map();
  }

  /** The value of a key, null if it has none. @param {Key} key */
  read(key) {
    return this.writes.get(key) ?? this.snapshot.get(key)?.value ?? null;
  }

  /** @param {Key} key @param {unknown} value */
  write(key, value) {
    this.writes.set(key, value);
  }

  /** Lists are a separate kind of data; a driver without lists omits these two methods. @param {Key} key */
  readList(key) {
    return this.read(key) ?? [];
  }

  /**
   * One statement of the database, such as `UPDATE … SET v = v || $1`. It may read and then write, as here, only if
   * every level prevents lost updates, as snapshot isolation does. @param {Key} key @param {number} value
   */
  append(key, value) {
    this.write(key, [...this.readList(key), value]);
  }

  /** Throw `aborted` only if it is certain that nothing was committed; after any other error the outcome is unknown. */
  commit() {
    const { content } = this.store;
    for (const key of this.writes.keys())
      if (content.get(key)?.version !== this.snapshot.get(key)?.version) throw aborted(`key ${key} was changed`);
    const version = ++this.store.version;
    for (const [key, value] of this.writes) content.set(key, { value, version });
  }

  /** Undoes the transaction; here nothing is shared before the commit. */
  rollback() {}
}

export default {
  title: 'my-driver',
  /** Your names of the isolation levels, weakest first, each with the level that it claims (see isolab list levels). */
  isolations: { snapshot: 'snapshot-isolation' },
  /** Kinds of data that keys can hold: registers, lists, rows, tables. */
  data: ['registers', 'lists'],

  /** `options` is the part of the address after the `?`: module:./my-driver.mjs?host=here. */
  open() {
    /** @type {{ content: Map<Key, Entry>, version: number }} */
    const store = { content: new Map(), version: 0 };
    return {
      description: 'a map in memory',
      /** Whether the data are lost when the driver is closed. */
      isTemporary: true,
      /** Empties the keys of this kind of data, or keeps them. @param {string} _data @param {boolean} keep */
      prepare(_data, keep) {
        if (!keep) store.content.clear();
      },
      connect: () => new Session(store),
    };
  },
};
