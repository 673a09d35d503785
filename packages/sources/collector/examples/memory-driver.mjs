// A driver for `isolab run h.jsonl --db module:./memory-driver.mjs --isolation snapshot`: the "database" is a map of
// versions in this process, with snapshot isolation. Replace the bodies of the methods with calls to your database's client.
const conflict = (why) => Object.assign(new Error(why), { outcome: 'aborted' });

class Session {
  constructor(store) {
    this.store = store;
  }
  begin() {
    this.snapshot = new Map(this.store.content); // key → { value, version }
    this.writes = new Map();
  }
  read(key) {
    return this.writes.get(key) ?? this.snapshot.get(key)?.value ?? null;
  }
  write(key, value) {
    this.writes.set(key, value);
  }
  readList(key) {
    return this.read(key) ?? [];
  }
  append(key, value) {
    this.write(key, [...this.readList(key), value]);
  }
  commit() {
    const { content } = this.store;
    for (const key of this.writes.keys())
      if (content.get(key)?.version !== this.snapshot.get(key)?.version) throw conflict(`key ${key} was changed`);
    const version = ++this.store.version;
    for (const [key, value] of this.writes) content.set(key, { value, version });
  }
  rollback() {} // nothing is shared before commit
}

export default {
  title: 'Memory',
  isolations: { snapshot: 'snapshot-isolation' },
  data: ['registers', 'lists'],
  open() {
    const store = { content: new Map(), version: 0 };
    const prepare = (data, keep) => void (keep || store.content.clear());
    return { description: 'memory 1.0', isTemporary: true, prepare, connect: () => new Session(store) };
  },
};
