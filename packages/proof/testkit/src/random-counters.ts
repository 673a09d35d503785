import { type History, HistoryBuilder, OpKind, STATUS_NAMES } from '@isolab/history';

/** An operation on a counter: the amount of an increment, or the value that was read or written, null if absent. */
export interface CounterOperation {
  readonly kind: 'increment' | 'read' | 'write';
  readonly counter: string;
  readonly value: number | null;
}

export interface CounterTransaction {
  readonly status: (typeof STATUS_NAMES)[number];
  readonly session: number;
  readonly operations: readonly CounterOperation[];
  readonly times: readonly [begin: number, end: number] | null;
}

/** Optional features of a random history of counters. */
export interface CounterKind {
  /** Whether amounts repeat, so that a sum rarely determines the increments. */
  readonly repeated?: boolean;
  /** Whether some transactions have an unknown outcome. Some of these did not happen. */
  readonly open?: boolean;
  /** Whether some transactions write counters without reading them. */
  readonly writes?: boolean;
  /** Maximum number of transactions; default: 6. */
  readonly transactions?: number;
}

export interface CounterRun {
  readonly initial: number | null;
  readonly transactions: readonly CounterTransaction[];
}

/**
 * Generates a small, nearly consistent history of one or two counters. Transactions see the latest state, an earlier
 * state, or a state without one of the changes.
 */
export function randomCounterRun(random: () => number, kind: CounterKind): CounterRun {
  const int = (below: number): number => Math.floor(random() * below);
  const names = ['n', 'm'].slice(0, 1 + int(2));
  const initial = [null, 0, 0, 5][int(4)]!;
  const timed = random() < 0.4;
  const staleness = random() < 0.3 ? 0 : random();
  const sessions = 1 + int(4);
  const writeShare = kind.writes ? 0.25 * random() : 0;
  const changes: CounterOperation[][] = []; // of the transactions that took effect, in their order
  const transactions: CounterTransaction[] = [];
  const ends = Array.from({ length: sessions }, () => 0);
  let next = 1;
  for (let left = 2 + int((kind.transactions ?? 6) - 1); left > 0; left--) {
    const session = int(sessions);
    const lag = random() < staleness ? int(3) : 0;
    const seen = changes.slice(0, Math.max(0, changes.length - lag));
    if (random() < 0.5 * staleness && seen.length > 0) seen.splice(int(seen.length), 1);
    const own: CounterOperation[] = [];
    const operations = Array.from({ length: 1 + int(3) }, (): CounterOperation => {
      const counter = names[int(names.length)]!;
      if (random() < 0.5) {
        const value = stateOf([...seen, own], counter, initial);
        const isWrong = random() < 0.03;
        return { kind: 'read', counter, value: isWrong ? [null, 0, 1, 2, 3][int(5)]! : value };
      }
      const value = kind.repeated ? [1, 1, 1, 2, -1, 0][int(6)]! : next;
      next *= 2;
      const writes = random() < writeShare;
      const change: CounterOperation = writes
        ? { kind: 'write', counter, value: random() < 0.2 ? null : value }
        : { kind: 'increment', counter, value };
      own.push(change);
      return change;
    });
    const status = random() < 0.85 ? (kind.open && random() < 0.4 ? 'unknown' : 'committed') : 'aborted';
    if (random() < { committed: 1, unknown: 0.6, aborted: 0.05 }[status] && own.length > 0)
      changes.splice(random() < 0.2 ? Math.max(0, changes.length - 1) : changes.length, 0, own);
    const begin = Math.max(ends[session]!, 3 * transactions.length + int(6));
    ends[session] = begin + 1 + int(8);
    transactions.push({ status, session, operations, times: timed ? [begin, ends[session]!] : null });
  }
  return { initial, transactions };
}

/** Returns the state of a counter after changes in this order. */
export function stateOf(
  changes: readonly (readonly CounterOperation[])[],
  counter: string,
  initial: number | null,
): number | null {
  let state = initial;
  for (const change of changes.flat()) {
    if (change.counter !== counter || change.kind === 'read') continue;
    state = change.kind === 'write' ? change.value : (state ?? 0) + change.value!;
  }
  return state;
}

export function historyOfCounters({ initial, transactions }: CounterRun): History {
  const builder = new HistoryBuilder({ format: 'counters', file: 'a run', unit: 'record' });
  if (transactions.some(({ times }) => times !== null)) builder.timeUnit = 'events';
  builder.initialEverywhere(builder.values.atom(initial === null ? null : BigInt(initial)));
  for (const [i, { status, session, operations, times }] of transactions.entries()) {
    const t = builder.begin(builder.session(BigInt(session)), i + 1);
    builder.outcome(t, STATUS_NAMES.indexOf(status));
    if (times !== null) {
      builder.time(t, 'begin', BigInt(times[0]));
      if (status !== 'unknown') builder.time(t, 'end', BigInt(times[1]));
    }
    for (const { kind, counter, value } of operations) {
      const amount = value === null ? null : BigInt(value);
      if (kind === 'increment') builder.increment(counter, amount!);
      else
        builder.op(
          kind === 'read' ? OpKind.Read : OpKind.Write,
          builder.keys.atom(counter),
          builder.values.atom(amount),
        );
    }
  }
  return builder.finish();
}

export const randomCounters = (random: () => number, kind: CounterKind): History =>
  historyOfCounters(randomCounterRun(random, kind));
