import type { PlainHistory, PlainTransaction } from '@isolab/history';
import type { LevelName } from '@isolab/contract';

// The levels straight from docs/levels.md, over all triples; for histories without internal anomalies.

interface Read {
  readonly at: number;
  readonly key: unknown;
  /** The transaction that wrote the version that it saw; −1 for the initial one. */
  readonly from: number;
}

export interface Model {
  readonly transactions: readonly (PlainTransaction & { readonly session: number })[];
  readonly committed: readonly number[];
  readonly reads: readonly (readonly Read[])[];
  writes(t: number, key: unknown): boolean;
  so(a: number, b: number): boolean;
  wr(a: number, b: number): boolean;
}

export function modelOf({ sessions }: PlainHistory): Model {
  const transactions = sessions.flatMap((session, s) => session.transactions.map((t) => ({ ...t, session: s })));
  const reads = transactions.map(({ operations }, t) =>
    operations.flatMap((op, at): Read[] => {
      if (op.kind !== 'read') return [];
      const from = transactions.findIndex(({ operations: other }) =>
        other.some((w) => w.kind === 'write' && w.key === op.key && w.value === op.value),
      );
      return from === t ? [] : [{ at, key: op.key, from }];
    }),
  );
  return {
    transactions,
    reads,
    committed: [...transactions.keys()].filter((t) => transactions[t]!.status === 'committed'),
    writes: (t, key) => t >= 0 && transactions[t]!.operations.some((op) => op.kind === 'write' && op.key === key),
    so: (a, b) => a < b && transactions[a]!.session === transactions[b]!.session,
    wr: (a, b) => reads[b]!.some(({ from }) => from === a),
  };
}

/** Returns whether a permutation of the committed transactions is a commit order of the level. */
export function isCommitOrder(model: Model, level: LevelName, order: readonly number[]): boolean {
  const { transactions, committed, reads, writes, so, wr } = model;
  const co = (a: number, b: number): boolean => order.indexOf(a) < order.indexOf(b); // the initial one is at −1
  const plain = level === 'plain-serializable' || level === 'read-committed-pl2';
  const strict = level === 'strict-serializable';
  const edges = (a: number, b: number): boolean => (!plain && so(a, b)) || wr(a, b);
  const reaches = (a: number, b: number): boolean =>
    edges(a, b) || committed.some((c) => edges(a, c) && co(c, b) && reaches(c, b));
  for (const a of committed) {
    for (const b of committed) {
      if (edges(a, b) && !co(a, b)) return false;
      if (strict && transactions[a]!.end! < transactions[b]!.begin! && !co(a, b)) return false;
    }
  }
  const condition = (t2: number, t3: number, read: Read): boolean => {
    const earlier = reads[t3]!.filter(({ at, from }) => at < read.at && from === t2);
    switch (level) {
      case 'read-committed-pl2':
        return false;
      case 'read-committed':
        return earlier.some(({ key }) => key !== read.key);
      case 'read-committed-dbcop':
        return earlier.length > 0;
      case 'read-atomic':
        return edges(t2, t3);
      case 'causal':
        return reaches(t2, t3);
      default:
        return co(t2, t3);
    }
  };
  for (const t3 of committed)
    for (const read of reads[t3]!)
      for (const t2 of committed)
        if (t2 !== t3 && t2 !== read.from && writes(t2, read.key) && condition(t2, t3, read) && !co(t2, read.from))
          return false;
  return true;
}

/** Bounds of a transaction with a begin and an end. */
export const latestBegin = ({ begun, end }: PlainTransaction): bigint => begun ?? end!;
export const earliestCommit = ({ begin, committing }: PlainTransaction): bigint => committing ?? begin!;

/** Returns whether begins (2t) and commits (2t + 1) are an order of the level, each begin before its commit. */
export function isEventOrder(model: Model, level: LevelName, events: readonly number[]): boolean {
  const { transactions, committed, reads, writes, so } = model;
  const at = (event: number): number => events.indexOf(event);
  const begin = (t: number): number => at(2 * t);
  const commit = (t: number): number => (t < 0 ? -1 : at(2 * t + 1));
  const keys = [...new Set(transactions.flatMap(({ operations }) => operations.map((op) => 'key' in op && op.key)))];
  for (const a of committed) {
    if (begin(a) > commit(a)) return false;
    for (const { key, from } of reads[a]!) {
      const before = [-1, ...committed.filter((t) => writes(t, key) && commit(t) < begin(a))];
      if (Math.max(...before.map(commit)) !== commit(from)) return false;
    }
    for (const b of committed) {
      if (a === b) continue;
      const [x, y] = [transactions[a]!, transactions[b]!];
      const conflict = keys.some((key) => writes(a, key) && writes(b, key));
      if (level !== 'prefix' && conflict && commit(a) > begin(b) && commit(b) > begin(a)) return false;
      if (!/adya|generalized/.test(level) && so(a, b) && commit(a) > begin(b)) return false;
      if (/generalized|strong/.test(level)) {
        if (latestBegin(x) < earliestCommit(y) && begin(a) > commit(b)) return false;
        if (x.end! < earliestCommit(y) && commit(a) > commit(b)) return false;
      }
      if (level === 'strong-snapshot-isolation' && x.end! < y.begin! && commit(a) > begin(b)) return false;
    }
  }
  return true;
}
