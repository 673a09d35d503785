/**
 * Small random programs whose keys may come from the results of reads, and their recorded runs. Each version is a row
 * `{n, to}`: `n` is unique, and `to` is a key that a later operation of the program may use.
 */
import { type History, fromPlain } from '@isolab/history';

export interface Step {
  readonly write: boolean;
  /** Key of the operation; null for the column `to` of the last result, or key 1 before the first result. */
  readonly key: number | null;
}

export interface Version {
  readonly n: number;
  readonly to: number;
}

export interface Operation {
  readonly write: boolean;
  readonly key: number;
  readonly version: Version;
  /** Transaction whose version an external read sees, −1 for the initial version; null for other operations. */
  readonly source: number | null;
}

export interface Transaction {
  readonly session: number;
  readonly steps: readonly Step[];
  readonly operations: readonly Operation[];
}

const KEYS = [1, 2, 3];

export const initialOf = (key: number): Version => ({ n: 90 + key, to: (key % KEYS.length) + 1 });

export interface Shape {
  readonly sessions: number;
  readonly transactions: number;
  /** Largest number of operations of a transaction. */
  readonly operations: number;
  /** Probability that a read sees an older version than the latest one. */
  readonly stale: number;
}

/** Runs random programs one after the other. */
export function randomRun(random: () => number, shape: Shape): Transaction[] {
  const { sessions, transactions, operations: most, stale } = shape;
  const below = (n: number): number => Math.floor(random() * n);
  const run: Transaction[] = [];
  const versions = new Map(KEYS.map((key) => [key, [{ txn: -1, version: initialOf(key) }]]));
  let n = 100;
  for (let t = 0; t < transactions; t++) {
    const steps = Array.from({ length: 1 + below(most) }, (): Step => {
      const key = random() < 0.3 ? null : KEYS[below(KEYS.length)]!;
      return { write: random() < 0.45, key };
    });
    const own = new Map<number, Version>();
    let last: Version | null = null;
    const operations = steps.map(({ write, key: fixed }): Operation => {
      const key = fixed ?? last?.to ?? 1;
      if (write) {
        const version = { n: n++, to: KEYS[below(KEYS.length)]! };
        own.set(key, version);
        return { write, key, version, source: null };
      }
      const of = versions.get(key)!;
      const seen = random() < stale ? of[below(of.length)]! : of.at(-1)!;
      last = own.get(key) ?? seen.version;
      return { write, key, version: last, source: own.has(key) ? null : seen.txn };
    });
    for (const [key, version] of own) versions.get(key)!.push({ txn: t, version });
    run.push({ session: below(sessions), steps, operations });
  }
  return run;
}

export const textOf = ({ n, to }: Version): string => JSON.stringify({ n, to });

/** Writes transactions as a history, with their numbers as names. */
export function historyOf(
  run: readonly { readonly name: number; readonly session: number; readonly operations: readonly Operation[] }[],
): History {
  const sessions = [...new Set(run.map(({ session }) => session))].toSorted((a, b) => a - b);
  return fromPlain({
    sessions: sessions.map((session) => ({
      name: BigInt(session),
      transactions: run
        .filter((each) => each.session === session)
        .map(({ name, operations }) => ({
          status: 'committed',
          name: `T${name}`,
          operations: operations.map(({ write, key, version }) => ({
            kind: write ? ('write' as const) : ('read' as const),
            key: BigInt(key),
            value: textOf(version),
          })),
        })),
    })),
    initialOf: KEYS.map((key) => [BigInt(key), textOf(initialOf(key))]),
  });
}

export const namedRun = (run: readonly Transaction[]) => run.map((each, name) => ({ ...each, name }));
