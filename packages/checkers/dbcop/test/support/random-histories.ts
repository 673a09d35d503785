import type { History, PlainOperation, PlainTransaction } from '@isolab/history';
import fc from 'fast-check';
import { randomNumbers } from '@isolab/testkit';
import { historyOf } from './notation.ts';

interface Draft {
  readonly status: PlainTransaction['status'];
  readonly ops: readonly { readonly isWrite: boolean; readonly key: number; readonly pick: number }[];
}

/**
 * Small histories in which reads return anything that was written to their key, or the initial 0. In most of them reads
 * are right in themselves, so that a violation takes several; in some they are not (thin air, aborted, own future …).
 * `keysOf` says which keys a session uses.
 */
export function tinyHistories({
  maxSessions = 3,
  maxTxns = 3,
  maxOps = 4,
  keysOf,
}: {
  maxSessions?: number;
  maxTxns?: number;
  maxOps?: number;
  keysOf: (session: number) => readonly number[];
}): fc.Arbitrary<History> {
  const op = fc.record({ isWrite: fc.boolean(), key: fc.nat(11), pick: fc.nat(59) });
  const status = fc.oneof(
    { weight: 12, arbitrary: fc.constant('committed' as const) },
    { weight: 1, arbitrary: fc.constant('aborted' as const) },
    { weight: 1, arbitrary: fc.constant('unknown' as const) },
  );
  const txn = fc.record({ status, ops: fc.array(op, { minLength: 1, maxLength: maxOps }) });
  const sessions = fc
    .array(fc.array(txn, { minLength: 1, maxLength: maxTxns }), { minLength: 1, maxLength: maxSessions })
    .filter((drafts) => drafts.flat().length <= 6);
  const clean = fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });
  return fc.tuple(sessions, clean).map(([drafts, isClean]) => historyFromDrafts(drafts, keysOf, isClean));
}

interface Written {
  readonly value: bigint;
  readonly txn: Draft;
  readonly index: number;
}

function historyFromDrafts(
  sessions: readonly (readonly Draft[])[],
  keysOf: (session: number) => readonly number[],
  isClean: boolean,
): History {
  const keyAt = (s: number, key: number): number => keysOf(s)[key % keysOf(s).length]!;
  const written = new Map<number, Written[]>();
  let fresh = 0n;
  sessions.forEach((txns, s) => {
    for (const txn of txns) {
      txn.ops.forEach(({ isWrite, key }, index) => {
        const k = keyAt(s, key);
        if (isWrite) written.set(k, [...(written.get(k) ?? []), { value: ++fresh, txn, index }]);
      });
    }
  });

  const valueRead = (txn: Draft, index: number, k: number, pick: number): bigint => {
    const all = written.get(k) ?? [];
    const own = all.findLast((write) => write.txn === txn && write.index < index);
    if (isClean && own) return own.value;
    const isLast = (write: Written): boolean => all.findLast((w) => w.txn === write.txn) === write;
    const others = all.filter((write) => write.txn !== txn && write.txn.status !== 'aborted' && isLast(write));
    const choices = [0n, ...(isClean ? others : all).map(({ value }) => value)];
    return !isClean && pick === 59 ? 99n : choices[pick % choices.length]!;
  };
  return historyOf(
    sessions.map((txns, s) =>
      txns.map((txn) => {
        const seen = new Map<number, bigint>();
        const operations = txn.ops.map(({ isWrite, key, pick }, index): PlainOperation => {
          const k = keyAt(s, key);
          const own = written.get(k)?.find((write) => write.txn === txn && write.index === index);
          if (isWrite) return { kind: 'write', key: BigInt(k), value: own!.value };
          // Reads of a key twice mostly agree.
          const value = (pick % 7 > 0 && isClean && seen.get(k)) || valueRead(txn, index, k, pick);
          seen.set(k, value);
          return { kind: 'read', key: BigInt(k), value };
        });
        return { status: txn.status, operations };
      }),
    ),
  );
}

/**
 * Transactions that write one of two keys, and others that read both and then may write one, each in a session of its
 * own: most of these are causally consistent, so it takes a search to decide.
 */
export function forks(): fc.Arbitrary<History> {
  const key = fc.nat(1);
  const writers = fc.array(key, { minLength: 1, maxLength: 3 });
  const reader = fc.record({ picks: fc.tuple(fc.nat(11), fc.nat(11)), writes: fc.constantFrom(-1, -1, 0, 1) });
  const readers = fc.array(reader, { minLength: 2, maxLength: 3 });
  return fc.tuple(writers, readers).map(([blind, reading]) => {
    const keysWritten = [...blind, ...reading.map(({ writes }) => writes)];
    const writes = keysWritten.map((k, i): PlainOperation[] =>
      k < 0 ? [] : [{ kind: 'write', key: BigInt(k), value: BigInt(i + 1) }],
    );
    const reads = reading.map(({ picks }, i): PlainOperation[] =>
      picks.map((pick, k) => {
        const values = keysWritten.flatMap((w, j) => (w === k && j !== blind.length + i ? [BigInt(j + 1)] : []));
        return { kind: 'read', key: BigInt(k), value: [0n, ...values][pick % (values.length + 1)]! };
      }),
    );
    const operations = [
      ...blind.map((_, i) => writes[i]!),
      ...reads.map((r, i) => [...r, ...writes[blind.length + i]!]),
    ];
    return historyOf(operations.map((ops) => [{ status: 'committed', operations: ops }]));
  });
}

export interface SimulationParameters {
  readonly seed: number;
  readonly sessions: number;
  readonly txnsPerSession: number;
  readonly opsPerTxn: number;
  readonly keysOf: (session: number) => readonly number[];
  /** The share of reads that return an older version. */
  readonly staleness: number;
}

/** Answers of a serial store, save for stale reads: large histories, some of which satisfy a level. */
export function simulate(parameters: SimulationParameters): History {
  const { sessions, txnsPerSession, opsPerTxn, keysOf, staleness } = parameters;
  const random = randomNumbers(parameters.seed);
  const below = (n: number): number => Math.floor(random() * n);
  const versions = new Map<number, bigint[]>();
  const built: PlainTransaction[][] = Array.from({ length: sessions }, () => []);
  let fresh = 0n;
  for (let i = 0; i < sessions * txnsPerSession; i++) {
    const s = below(sessions);
    const own = new Map<number, bigint>();
    const seen = new Map<number, bigint>();
    const operations = Array.from({ length: opsPerTxn }, (): PlainOperation => {
      const key = keysOf(s)[below(keysOf(s).length)]!;
      if (random() < 0.5) {
        own.set(key, ++fresh);
        return { kind: 'write', key: BigInt(key), value: fresh };
      }
      const store = versions.get(key) ?? [0n];
      const latest = random() < staleness ? store[below(store.length)]! : store.at(-1)!;
      const value = own.get(key) ?? seen.get(key) ?? latest;
      seen.set(key, value);
      return { kind: 'read', key: BigInt(key), value };
    });
    for (const [key, value] of own) versions.set(key, [...(versions.get(key) ?? [0n]), value]);
    built[s]!.push({ status: 'committed', operations });
  }
  return historyOf(built);
}
