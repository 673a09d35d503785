// @ts-check
/**
 * A driver for `isolab run history.jsonl --db module:./my-driver.mjs --isolation snapshot`. The "database" is a map in this
 * process with snapshot isolation. Replace the bodies of the methods with calls to your database's client, and try it after
 * each step: `isolab test ./my-driver.mjs`. docs/drivers.md of isolab says what each method is asked.
 */

/** Says that the database undid the transaction. For a connection that is gone, the outcome is 'lost'. */
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

  /** Lists are data of their own; a driver without them leaves these two out. @param {Key} key */
  readList(key) {
    return this.read(key) ?? [];
  }

  /**
   * One statement of the database, such as `UPDATE … SET v = v || $1`. It may read and then write, as here, only where
   * every level keeps updates from being lost, as snapshot isolation does. @param {Key} key @param {number} value
   */
  append(key, value) {
    this.write(key, [...this.readList(key), value]);
  }

  /** Throw `aborted` only where it is certain that nothing was committed; any other error means that nobody knows. */
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
  /** Your names of its levels, the weakest first, each with the level that it claims (isolab list levels lists them). */
  isolations: { snapshot: 'snapshot-isolation' },
  /** What its keys can hold: registers, lists, rows, tables. */
  data: ['registers', 'lists'],

  /** `options` is what stands behind the `?` of the address: module:./my-driver.mjs?host=here. */
  open() {
    /** @type {{ content: Map<Key, Entry>, version: number }} */
    const store = { content: new Map(), version: 0 };
    return {
      description: 'a map in memory',
      /** Whether the data are gone when it is closed. */
      isTemporary: true,
      /** Empties the keys of this kind of data, or keeps them. @param {string} _data @param {boolean} keep */
      prepare(_data, keep) {
        if (!keep) store.content.clear();
      },
      connect: () => new Session(store),
    };
  },
};
