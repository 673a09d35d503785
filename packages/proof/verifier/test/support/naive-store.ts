import type { PlainHistory, PlainOperation, PlainTransaction } from '@isolab/history';
import type { LevelName } from '@isolab/contract';

// Meaning of an order of a small history where values repeat, keys are lists, and outcomes are unknown: a store is
// executed along it. Versions are text: a register's value, or a list's elements.

type Store = ReadonlyMap<unknown, string>;

interface Txn extends PlainTransaction {
  readonly session: number;
}

const transactionsOf = ({ sessions }: PlainHistory): Txn[] =>
  sessions.flatMap(({ transactions }, session) => transactions.map((t) => ({ ...t, session })));

/** Content of a key after a write or an append. */
const written = (op: PlainOperation, before: string): string =>
  op.kind === 'append' ? `${before}${String(op.value)},` : op.kind === 'write' ? String(op.value) : before;

/** The store after a transaction that begins with one; null if its reads see something else. */
function execute({ operations }: Txn, snapshot: Store, initial: string): Store | null {
  const store = new Map(snapshot);
  for (const op of operations) {
    if (!('key' in op)) return null;
    const held = store.get(op.key) ?? (op.kind === 'append' || op.kind === 'list-read' ? '' : initial);
    if (op.kind === 'read' && String(op.value) !== held) return null;
    if (op.kind === 'list-read' && op.elements!.map((element) => `${String(element)},`).join('') !== held) return null;
    if (op.kind === 'write' || op.kind === 'append') store.set(op.key, written(op, held));
  }
  return store;
}

const committed = (all: readonly Txn[]): number[] => [...all.keys()].filter((t) => all[t]!.status === 'committed');

const inSession = (all: readonly Txn[], a: number, b: number): boolean => a < b && all[a]!.session === all[b]!.session;

export function isSerialOrder(plain: PlainHistory, level: LevelName, order: readonly number[]): boolean {
  const all = transactionsOf(plain);
  if (committed(all).some((t) => !order.includes(t))) return false;
  const isOrdered = order.every((b, i) =>
    order.slice(i + 1).every((a) => {
      const [earlier, later] = [all[a]!, all[b]!]; // against the order
      const realTime = earlier.status === 'committed' && earlier.end! < later.begin!;
      return (
        !(level !== 'plain-serializable' && inSession(all, a, b)) && !(level === 'strict-serializable' && realTime)
      );
    }),
  );
  let store: Store | null = new Map();
  for (const t of order) store = store && execute(all[t]!, store, '0');
  return isOrdered && store !== null;
}

/** At prefix and snapshot isolation with and without sessions. */
export function isSnapshotOrder(plain: PlainHistory, level: LevelName, events: readonly number[]): boolean {
  const all = transactionsOf(plain);
  const at = (event: number): number => events.indexOf(event);
  const listed = [...all.keys()].filter((t) => at(2 * t) >= 0);
  if (committed(all).some((t) => !listed.includes(t))) return false;
  const writes = (t: number): unknown[] =>
    all[t]!.operations.flatMap((op) => (op.kind === 'write' || op.kind === 'append' ? [op.key] : []));
  for (const a of listed) {
    if (at(2 * a) > at(2 * a + 1)) return false;
    for (const b of listed) {
      if (a === b) continue;
      if (level !== 'adya-snapshot-isolation' && inSession(all, a, b) && at(2 * a + 1) > at(2 * b)) return false;
      const overlap = at(2 * a) < at(2 * b + 1) && at(2 * b) < at(2 * a + 1);
      if (level !== 'prefix' && overlap && writes(a).some((key) => writes(b).includes(key))) return false;
    }
  }
  const store = new Map<unknown, string>();
  for (const event of events) {
    const t = all[event >> 1]!;
    if (event % 2 === 0) {
      if (execute(t, store, '0') === null) return false;
    } else {
      for (const op of t.operations)
        if (op.kind === 'write' || op.kind === 'append') store.set(op.key, written(op, store.get(op.key) ?? ''));
    }
  }
  return true;
}

/** All sets of transactions that may be those that happened. */
export function worlds(plain: PlainHistory): number[][] {
  const all = transactionsOf(plain);
  let sets: number[][] = [[]];
  for (const [t, { status }] of all.entries()) {
    if (status === 'aborted') continue;
    const withIt = sets.map((world) => [...world, t]);
    sets = status === 'unknown' ? [...sets, ...withIt] : withIt;
  }
  return sets;
}
