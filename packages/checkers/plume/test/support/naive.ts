import { levelsForbidding } from '@isolab/contract';
import { type PlainHistory, buildReadFrom, findInternalAnomalies, fromPlain } from '@isolab/history';

/** Plume's levels and patterns straight from their definitions, over plain objects, by trying every triple. */
export type NaiveLevel = 'read-committed' | 'read-atomic' | 'causal';

interface Txn {
  readonly id: number; // in the history
  readonly session: number;
  /** Reads from other transactions: of a register, those before any own write. */
  readonly reads: readonly { readonly key: string; readonly from: number; readonly at: number }[];
  readonly writes: ReadonlySet<string>;
}

export interface Naive {
  readonly satisfied: boolean;
  /** `pattern t1 t2 t3` for h to n without j, most special pattern only, once for each key. */
  readonly triples: readonly string[];
  readonly coIsCyclic: boolean;
}

export function naive(plain: PlainHistory, level: NaiveLevel): Naive {
  const txns = members(plain);
  const n = txns.length;
  // Index 0 is the initial transaction.
  const co = matrix(n, (a, b) => a === 0 || isBefore(txns, a, b) || txns[b]!.reads.some(({ from }) => from === a));
  for (let i = 1; i < n; i++) co[i]![0] = false;
  close(co);
  const cm = co.map((row) => [...row]);
  let staleInitial = false;
  const instances: { t1: number; t2: number; t3: number; kind: 'mono' | 'fractured' | 'conflict' }[] = [];
  for (let t3 = 1; t3 < n; t3++) {
    for (const key of new Set(txns[t3]!.reads.map((read) => read.key))) {
      for (const t1 of new Set(txns[t3]!.reads.filter((read) => read.key === key).map(({ from }) => from))) {
        for (let t2 = 1; t2 < n; t2++) {
          if (t2 === t1 || t2 === t3 || !txns[t2]!.writes.has(key)) continue;
          const kind = kindOf(txns, co, { t1, t2, t3, key });
          if (kind === null || !counts(level, kind)) continue;
          // Nothing precedes the initial transaction; an edge to it would put that one's writer before everything.
          if (t1 > 0) cm[t2]![t1] = true;
          staleInitial ||= t1 === 0;
          instances.push({ t1, t2, t3, kind });
        }
      }
    }
  }
  close(cm);
  const triples = instances.flatMap(({ t1, t2, t3, kind }) => {
    if (!cm[t1]![t2]) return [];
    const [byCo, byCm] = PATTERNS[kind];
    return [`${co[t1]![t2] ? byCo : byCm} ${[t1, t2, t3].map((t) => txns[t]!.id).join(' ')}`];
  });
  const internal = internalNames(plain).some((name) => levelsForbidding(name).includes(level));
  return {
    satisfied: !internal && !staleInitial && cm.every((row, i) => !row[i]),
    triples: triples.toSorted(),
    coIsCyclic: co.some((row, i) => row[i]),
  };
}

const PATTERNS = {
  mono: ['TAP-h', 'TAP-i'],
  fractured: ['TAP-k', 'TAP-l'],
  conflict: ['TAP-m', 'TAP-n'],
} as const;

const counts = (level: NaiveLevel, kind: keyof typeof PATTERNS): boolean =>
  kind === 'mono' || (kind === 'fractured' && level !== 'read-committed') || level === 'causal';

function kindOf(
  txns: readonly Txn[],
  co: readonly (readonly boolean[])[],
  { t1, t2, t3, key }: { t1: number; t2: number; t3: number; key: string },
): keyof typeof PATTERNS | null {
  const { reads } = txns[t3]!;
  const others = reads.filter((read) => read.from === t2 && read.key !== key);
  const contested = reads.filter((read) => read.from === t1 && read.key === key);
  if (others.some((other) => contested.some(({ at }) => other.at < at))) return 'mono';
  if (others.length > 0 || isBefore(txns, t2, t3)) return 'fractured';
  return co[t2]![t3] ? 'conflict' : null;
}

const isBefore = (txns: readonly Txn[], a: number, b: number): boolean =>
  a < b && txns[a]!.session === txns[b]!.session;

function members(plain: PlainHistory): Txn[] {
  const writer = new Map<string, number>(); // transaction of the history
  const flat = plain.sessions.flatMap(({ transactions }, session) => transactions.map((txn) => ({ txn, session })));
  flat.forEach(({ txn }, id) => {
    for (const op of txn.operations) if (op.kind === 'write') writer.set(`${String(op.key)} ${String(op.value)}`, id);
  });
  const happened = flat.map(({ txn }) => txn.status === 'committed');
  for (let changed = true; changed;) {
    changed = false;
    flat.forEach(({ txn }, id) => {
      if (!happened[id]) return;
      for (const from of readsOf(txn.operations, writer, id).map((read) => read.from)) {
        if (from >= 0 && !happened[from] && flat[from]!.txn.status === 'unknown') changed = happened[from] = true;
      }
    });
  }
  const number = new Map<number, number>([[-1, 0]]);
  flat.forEach((_, id) => happened[id] && number.set(id, number.size));
  const initial: Txn = { id: -1, session: -1, reads: [], writes: new Set() };
  const rest = flat.flatMap(({ txn, session }, id): Txn[] => {
    if (!happened[id]) return [];
    const reads = readsOf(txn.operations, writer, id)
      .filter(({ from, isOwn }) => number.has(from) && from !== id && !isOwn)
      .map((read) => ({ ...read, from: number.get(read.from)! }));
    const writes = txn.operations
      .filter(({ kind }) => kind === 'write')
      .map((op) => ('key' in op ? String(op.key) : ''));
    return [{ id, session, reads, writes: new Set(writes) }];
  });
  return [initial, ...rest];
}

/** The reads with the transaction that each is from, -1 for initial ones, -2 for none; and whether after an own write. */
function readsOf(
  operations: PlainHistory['sessions'][number]['transactions'][number]['operations'],
  writer: ReadonlyMap<string, number>,
  id: number,
): { key: string; from: number; at: number; isOwn: boolean }[] {
  const own = new Set<string>();
  return operations.flatMap((op, at) => {
    if (op.kind !== 'read' && op.kind !== 'write') throw new Error(`Transaction ${id} holds a ${op.kind}.`);
    const key = String(op.key);
    if (op.kind === 'write') own.add(key);
    if (op.kind === 'write') return [];
    const from = op.value === 0n ? -1 : (writer.get(`${key} ${String(op.value)}`) ?? -2);
    return [{ key, from, at, isOwn: own.has(key) }];
  });
}

function internalNames(plain: PlainHistory) {
  const history = fromPlain(plain);
  const found = findInternalAnomalies(history, buildReadFrom(history));
  return Array.from({ length: found.count }, (_, i) => found.at(i).name);
}

const matrix = (n: number, holds: (a: number, b: number) => boolean): boolean[][] =>
  Array.from({ length: n }, (_, a) => Array.from({ length: n }, (__, b) => a !== b && holds(a, b)));

function close(relation: boolean[][]): void {
  for (let k = 0; k < relation.length; k++) {
    for (const row of relation) if (row[k]) relation[k]!.forEach((reached, j) => (row[j] ||= reached));
  }
}
