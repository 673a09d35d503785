import type { Atom, PlainOperation, PlainTransaction } from '@isolab/history';

/** Steps of a transaction, in the commit order of a simulated store, which chooses the values to read. */
export interface Program {
  readonly session: number;
  readonly status: PlainTransaction['status'];
  readonly steps: readonly ExecutionStep[];
  /** Choices of the store: the staleness of a snapshot, and the transaction whose writes arrive. */
  readonly lag: number;
  /** Time between the begin of the transaction and its commit, and between the commit and its end. */
  readonly before: number;
  readonly after: number;
  /** Times from the begin to the first answer, and from the COMMIT request to the commit; null if not recorded. */
  readonly answers: number | null;
  readonly asks: number | null;
}

export interface ExecutionStep {
  readonly write: boolean;
  readonly key: number;
  /** Selects the value that a write repeats, or the value that a read returns. */
  readonly choice: number;
}

/** Tiny databases, each of which produces histories that satisfy its level (random: any histories). */
export const STORES = [
  'random',
  'read-committed',
  'read-atomic',
  'causal',
  'prefix',
  'snapshot-isolation',
  'serializable',
] as const;
export type Store = (typeof STORES)[number];

export interface ExecutionOptions {
  readonly store: Store;
  readonly repeatedValues: boolean;
  readonly times: boolean;
  readonly lists: boolean;
  readonly initialOf: (key: Atom) => Atom;
}

export interface Drafted {
  readonly session: number;
  readonly transaction: PlainTransaction;
}

export const KEYS = 'xyzuvwabcdefg';

/** Executes the programs in order. */
export function execute(programs: readonly Program[], options: ExecutionOptions): Drafted[] {
  const values = writtenValues(programs, options);
  const seen = new Views(programs);
  const clock = new Map<number, number>();
  return programs.map((program, i) => {
    const { session, status, steps } = program;
    const operations = steps.map((step, position): PlainOperation => {
      const key = KEYS[step.key]!;
      if (step.write) return { kind: options.lists ? 'append' : 'write', key, value: values[i]![position]! };
      const own = steps.flatMap((s, p) => (p < position && s.write && s.key === step.key ? [values[i]![p]!] : []));
      const visible = seen.of(i, position, options.store);
      const others = visible
        .filter((t) => t !== i)
        .flatMap((t) => {
          const written = programs[t]!.steps.flatMap((s, p) => (s.write && s.key === step.key ? [values[t]![p]!] : []));
          return options.lists ? written : written.slice(-1);
        });
      if (options.lists) return { kind: 'list-read', key, elements: [...others, ...own] };
      return { kind: 'read', key, value: own.at(-1) ?? others.at(-1) ?? options.initialOf(key) };
    });
    const times = timesOf(program, 6 * i, (clock.get(session) ?? -1) + 1);
    clock.set(session, Number(times.end));
    return { session, transaction: { status, operations, ...(options.times && times) } };
  });
}

/** Bounds around the moment at which a program runs, or directly after the earlier programs of its session. */
function timesOf({ before, after, answers, asks }: Program, moment: number, earliest: number) {
  const begin = Math.max(moment - before, earliest);
  const end = Math.max(moment + after, begin);
  const within = (time: number): bigint => BigInt(Math.min(end, Math.max(begin, time)));
  return {
    begin: BigInt(begin),
    ...(answers !== null && { begun: within(moment + answers) }),
    ...(asks !== null && { committing: within(moment - asks) }),
    end: BigInt(end),
  };
}

/** Values increase for each key, or repeat. */
function writtenValues(programs: readonly Program[], { repeatedValues }: ExecutionOptions): bigint[][] {
  const count = new Map<number, number>();
  return programs.map(({ steps }) =>
    steps.map(({ write, key, choice }) => {
      if (!write) return 0n;
      if (repeatedValues) return BigInt(choice % 3);
      count.set(key, (count.get(key) ?? 0) + 1);
      return BigInt(count.get(key)!);
    }),
  );
}

/** The earlier transactions that each transaction sees, in commit order. */
class Views {
  readonly #programs: readonly Program[];
  readonly #past: number[][] = []; // for stores that keep the versions that a transaction has seen

  constructor(programs: readonly Program[]) {
    this.#programs = programs;
  }

  of(t: number, position: number, store: Store): readonly number[] {
    const committed = this.#visibleBefore(t);
    const { session, lag, steps } = this.#programs[t]!;
    const lastOfSession = committed.findLast((s) => this.#programs[s]!.session === session) ?? -1;
    const oldest = committed.indexOf(lastOfSession) + 1;
    const snapshot = committed.slice(0, Math.max(oldest, committed.length - (lag % 4)));
    switch (store) {
      case 'serializable':
        return committed;
      case 'prefix':
        return snapshot;
      case 'snapshot-isolation': {
        const writes = (s: number): number[] => this.#programs[s]!.steps.flatMap((x) => (x.write ? [x.key] : []));
        const own = writes(t);
        const conflict = committed.findLastIndex((s) => writes(s).some((key) => own.includes(key)));
        return committed.slice(0, Math.max(snapshot.length, conflict + 1));
      }
      case 'causal':
      case 'read-atomic':
        return this.#informed(t, committed, store);
      case 'read-committed': {
        const reached = steps.slice(0, position + 1).reduce((sum, step) => sum + (step.choice % 3), 0);
        return committed.slice(0, Math.max(oldest, Math.min(committed.length, reached)));
      }
      case 'random': {
        const everybody = this.#programs.map((_, s) => s);
        const writers = everybody.filter((s) =>
          this.#programs[s]!.steps.some((step) => step.write && step.key === steps[position]!.key),
        );
        return writers.slice(0, steps[position]!.choice % (writers.length + 1));
      }
    }
  }

  /**
   * Sees its session's past and some other transaction; for the store `causal`, also the transactions visible to these.
   */
  #informed(t: number, committed: readonly number[], store: Store): readonly number[] {
    if (this.#past[t]) return this.#past[t];
    const { session, lag } = this.#programs[t]!;
    const news = committed.filter((s, i) => this.#programs[s]!.session === session || i === committed.length - 1 - lag);
    const seen =
      store === 'causal' ? news.flatMap((s) => [s, ...this.#informed(s, this.#visibleBefore(s), store)]) : news;
    return (this.#past[t] = [...new Set(seen)].toSorted((a, b) => a - b));
  }

  #visibleBefore(t: number): readonly number[] {
    return this.#programs.flatMap(({ status, lag }, s) =>
      s < t && (status === 'committed' || (status === 'unknown' && lag % 2 === 0)) ? [s] : [],
    );
  }
}
