/**
 * Small random programs whose keys and conditions may come from the results of reads, and their recorded runs. Each
 * version is a row `{n, to}`: `to` is a key or a constant of a condition that a later operation of the program may use.
 */
import {
  AGGREGATES,
  type Aggregate,
  type History,
  type PlainOperation,
  type Scalar,
  fromPlain,
  rowName,
} from '@isolab/history';

export interface Step {
  /** An update reads and writes a row in one statement; a scan returns the rows whose `to` has a value. */
  readonly kind: 'read' | 'write' | 'update' | 'scan';
  /** Key or value of `to`; null for the column `to` of the last result, or for the result of an aggregate. */
  readonly key: number | null;
  /** Aggregate that a scan returns instead of its rows. */
  readonly aggregate?: AggregateKind | null;
}

/** A sum, minimum or maximum is that of `n`. */
export type AggregateKind = (typeof AGGREGATES)[number];

export interface Version {
  readonly n: number;
  readonly to: number;
}

export interface Operation {
  readonly write: boolean;
  readonly key: number;
  /** Null if the row is absent. */
  readonly version: Version | null;
  /** Transaction whose version an external read sees, −1 for the initial version; null for other operations. */
  readonly source: number | null;
  /** Number of the statement in its transaction. */
  readonly statement: number;
  /** States that the read belongs to an update. */
  readonly isFixed: boolean;
  /** Value of `to` that the scan of this read returns; null for other operations. */
  readonly scan: number | null;
  readonly aggregate?: AggregateKind | null;
}

export interface Transaction {
  readonly session: number;
  readonly steps: readonly Step[];
  readonly operations: readonly Operation[];
}

export const KEYS = [1, 2, 3];

export const initialOf = (key: number): Version => ({ n: 90 + key, to: (key % KEYS.length) + 1 });

export const isMatch = (version: Version | null, scan: number): boolean => version?.to === scan;

export interface Shape {
  readonly sessions: number;
  readonly transactions: number;
  /** Largest number of statements of a transaction. */
  readonly operations: number;
  /** Probability that a read sees an older version than the latest one. */
  readonly stale: number;
  /** States that there are scans, updates and deletes. */
  readonly hasRows?: boolean;
  /** States that several versions may be equal. */
  readonly hasRepeats?: boolean;
}

/** Runs random programs one after the other. */
export function randomRun(random: () => number, shape: Shape): Transaction[] {
  const { sessions, transactions, operations: most, stale, hasRows = false, hasRepeats = false } = shape;
  const below = (n: number): number => Math.floor(random() * n);
  const run: Transaction[] = [];
  const versions = new Map(KEYS.map((key) => [key, [{ txn: -1, version: initialOf(key) as Version | null }]]));
  let n = 100;
  for (let t = 0; t < transactions; t++) {
    const own = new Map<number, Version | null>();
    let last = 1 as number | null;
    const seen = (key: number): { version: Version | null; source: number | null } => {
      const of = versions.get(key)!;
      const { txn, version } = random() < stale ? of[below(of.length)]! : of.at(-1)!;
      return own.has(key) ? { version: own.get(key)!, source: null } : { version, source: txn };
    };
    const steps: Step[] = [];
    const operations: Operation[] = [];
    const count = 1 + below(most);
    for (let statement = 0; statement < count; statement++) {
      const [chance, isNull] = [random(), last !== null && random() < 0.3];
      const kind = chance < 0.45 ? 'write' : !hasRows || chance < 0.7 ? 'read' : chance < 0.85 ? 'update' : 'scan';
      const fixed = KEYS[below(KEYS.length)]!;
      const key = isNull ? last! : fixed;
      const aggregate = kind === 'scan' && random() < 0.5 ? AGGREGATES[below(AGGREGATES.length)]! : null;
      steps.push({ kind, key: isNull ? null : fixed, aggregate });
      const one = { key, statement, isFixed: kind === 'update', scan: null, aggregate };
      if (kind === 'scan')
        for (const row of KEYS) operations.push({ ...one, ...seen(row), key: row, write: false, scan: key });
      if (kind === 'read' || kind === 'update') operations.push({ ...one, ...seen(key), write: false });
      if (kind === 'read') last = operations.at(-1)!.version?.to ?? null;
      if (kind === 'scan') last = lastOfScan(operations.slice(-KEYS.length), key, aggregate);
      if (kind !== 'write' && kind !== 'update') continue;
      const isDelete = hasRows && random() < 0.2;
      const version = isDelete ? null : { n: hasRepeats ? below(2) : n++, to: KEYS[below(KEYS.length)]! };
      own.set(key, version);
      operations.push({ ...one, write: true, version, source: null });
    }
    for (const [key, version] of own) versions.get(key)!.push({ txn: t, version });
    run.push({ session: below(sessions), steps, operations });
  }
  return run.map((each) => withoutRowsThatNeverMatch(each, run));
}

/** Returns the key that a later operation may use after a scan; null for none. */
function lastOfScan(operations: readonly Operation[], scan: number, aggregate: AggregateKind | null): number | null {
  const rows = operations.flatMap(({ version }) => (version !== null && isMatch(version, scan) ? [version] : []));
  return aggregate === null ? (rows.length > 0 ? scan : null) : keyIn(resultOfRows(aggregate, rows));
}

/** Returns a result if it is a key. */
export const keyIn = (result: Scalar): number | null => KEYS.find((key) => key === result) ?? null;

export function resultOfRows(aggregate: AggregateKind, rows: readonly Version[]): number | null {
  const all = rows.map(({ n }) => n);
  if (aggregate === 'count') return all.length;
  if (all.length === 0) return null;
  return aggregate === 'sum' ? all.reduce((sum, n) => sum + n, 0) : Math[aggregate](...all);
}

/** Leaves out the rows of scans that match in no version: they have no influence. */
function withoutRowsThatNeverMatch(
  { session, steps, operations }: Transaction,
  run: readonly Transaction[],
): Transaction {
  const written = run.flatMap((each) => each.operations.filter(({ write }) => write));
  const everMatches = (row: number, scan: number): boolean =>
    isMatch(initialOf(row), scan) || written.some(({ key, version }) => key === row && isMatch(version, scan));
  const kept = operations.filter(({ scan, key }) => scan === null || everMatches(key, scan));
  return { session, steps: steps.filter((_, i) => kept.some(({ statement }) => statement === i)), operations: kept };
}

export const textOf = (version: Version | null, write: number | null = null): string | null =>
  version && JSON.stringify({ ...(write !== null && { [NUMBER]: write }), n: version.n, to: version.to });

/** Column that distinguishes versions whose contents are unknown. */
export const NUMBER = 'isolab write';

interface Named {
  readonly name: number;
  readonly session: number;
  readonly operations: readonly (Operation & { readonly number?: number | null; readonly isUnknown?: boolean })[];
}

/** Writes transactions as a history of rows, with their numbers as names and as places in the order of commits. */
export function historyOf(run: readonly Named[], isTable = false): History {
  const nameOf = (key: number): bigint | string => (isTable ? rowName('t', BigInt(key)) : BigInt(key));
  const history = fromPlain({
    ...(isTable && { tables: ['t'] }),
    sessions: bySession(run).map(([session, transactions]) => ({
      name: BigInt(session),
      transactions: transactions.map(({ name, operations }) => ({
        status: 'committed',
        name: `T${name}`,
        operations: operations.flatMap((one, i): PlainOperation[] => {
          const { write, key, version, number = null, scan, statement } = one;
          const value = textOf(version, number);
          if (scan === null) return [{ kind: write ? 'write' : 'read', key: nameOf(key), value }];
          if (operations[i - 1]?.statement === statement) return [];
          const all = operations.filter((o) => o.statement === statement);
          const rows = all.filter((o) => isMatch(o.version, scan));
          if (one.aggregate) {
            if (all.some((o) => o.isUnknown)) return [];
            const result = resultOfRows(
              one.aggregate,
              rows.map((o) => o.version!),
            );
            const aggregate = { kind: one.aggregate, column: 'n', result } as Aggregate;
            return [{ kind: 'scan', table: 't', where: ['=', 'to', scan], rows: [], aggregate }];
          }
          return [
            {
              kind: 'scan',
              table: 't',
              where: ['=', 'to', scan],
              rows: rows.map((o) => ({ key: nameOf(o.key), value: textOf(o.version, o.number ?? null) })),
              aggregate: null,
            },
          ];
        }),
      })),
    })),
    initialOf: KEYS.map((key) => [nameOf(key), textOf(initialOf(key))]),
  });
  // A transaction stands in the file where it committed.
  const names = bySession(run).flatMap(([, transactions]) => transactions.map(({ name }) => name));
  return { ...history, txnPosition: history.txnPosition.map((_, t) => names[t]! + 1) };
}

/** Groups transactions by their sessions, in the order of these. */
export function bySession<T extends { readonly session: number }>(run: readonly T[]): [session: number, T[]][] {
  const sessions = [...new Set(run.map(({ session }) => session))].toSorted((a, b) => a - b);
  return sessions.map((session) => [session, run.filter((each) => each.session === session)]);
}

export const namedRun = (run: readonly Transaction[]) => run.map((each, name) => ({ ...each, name }));
