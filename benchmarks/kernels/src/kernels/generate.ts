import { type History, HistoryBuilder, OpKind } from '@isolab/history';

/** Size and composition of a generated history; the defaults are those of the papers' general workload. */
export interface Size {
  readonly sessions: number;
  readonly transactionsPerSession: number;
  readonly operationsPerTransaction: number;
  readonly keys: number;
  readonly readShare: number;
}

export const MILLION_OPERATIONS: Size = {
  sessions: 50,
  transactionsPerSession: 1000,
  operationsPerTransaction: 20,
  keys: 10_000,
  readShare: 0.5,
};

/** Size with about this number of operations, in the same proportions. */
export const sized = (operations: number): Size => ({
  ...MILLION_OPERATIONS,
  transactionsPerSession: Math.ceil(operations / 1000),
  keys: Math.max(100, Math.ceil(operations / 100)),
});

/**
 * Generates a serial execution, sessions in turn: every read sees the latest write. The result is the same on every
 * machine.
 */
export function generate(size: Size, seed = 1): History {
  const random = mulberry32(seed);
  const builder = new HistoryBuilder({ format: 'generated', file: 'generated', unit: 'record', initial: 0n });
  const latest = new Int32Array(size.keys);
  let value = 0;
  let id = 0;
  for (let t = 0; t < size.transactionsPerSession; t++) {
    for (let s = 0; s < size.sessions; s++) {
      const txn = builder.begin(builder.sessions.integer(0, s), id);
      builder.nameInteger(txn, 0, id++);
      for (let i = 0; i < size.operationsPerTransaction; i++) {
        const key = Math.floor(random() * size.keys);
        const reads = random() < size.readShare;
        if (!reads) latest[key] = ++value;
        builder.op(
          reads ? OpKind.Read : OpKind.Write,
          builder.keys.integer(0, key),
          builder.values.integer(0, latest[key]!),
        );
      }
    }
  }
  return builder.finish();
}

/**
 * Generates a list-append history: every read returns the whole list. A new list begins after `length` elements, as in
 * Jepsen.
 */
export function generateLists(size: Size, length: number, seed = 1): History {
  const random = mulberry32(seed);
  const builder = new HistoryBuilder({ format: 'generated', file: 'generated', unit: 'record' });
  builder.timeUnit = 'nanoseconds';
  const node = new Int32Array(size.keys);
  const count = new Int32Array(size.keys);
  const current = Int32Array.from({ length: size.keys }, (_, key) => key);
  let nextKey = size.keys;
  let clock = 0n;
  for (let t = 0; t < size.transactionsPerSession; t++) {
    for (let s = 0; s < size.sessions; s++) {
      const txn = builder.begin(builder.sessions.integer(0, s), t * size.sessions + s);
      builder.time(txn, 'begin', clock++);
      builder.time(txn, 'end', clock++);
      for (let i = 0; i < size.operationsPerTransaction; i++) {
        const slot = Math.floor(random() * size.keys);
        const key = builder.keys.integer(0, current[slot]!);
        if (random() < size.readShare) {
          builder.op(OpKind.ListRead, key, node[slot]!);
          continue;
        }
        const element = builder.values.integer(0, ++count[slot]!);
        builder.op(OpKind.Append, key, element);
        node[slot] = builder.lists.extend(key, node[slot]!, element);
        if (count[slot] === length) {
          current[slot] = nextKey++;
          count[slot] = node[slot] = 0;
        }
      }
    }
  }
  return builder.finish();
}

/** A small seeded generator of numbers in [0, 1). */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
