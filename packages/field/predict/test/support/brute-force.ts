/**
 * All executions within a boundary, by brute force: every part of the sessions, every set of changed reads up to a size
 * and every version for them. The rules are written down again here, without code of the search.
 */
import { type History, type PlainOperation, fromPlain } from '@isolab/history';
import type { Boundary } from '../../src/index.ts';
import {
  type Operation,
  type Transaction,
  type Version,
  KEYS,
  bySession,
  historyOf,
  initialOf,
  isMatch,
  resultOfRows,
  textOf,
} from './programs.ts';

interface Changed {
  readonly t: number;
  readonly at: number;
  readonly writer: number;
}

interface State {
  readonly end: number[];
  /** Position of the first read with another version, by transaction. */
  readonly divergence: number[];
}

/** An execution with changed reads, and the same transactions with their recorded reads. */
export interface BothHistories {
  readonly predicted: History;
  readonly recorded: History;
  /** The predicted execution, in which each version of a row has its own value. */
  readonly distinct: History;
}

/** Lists all executions with at least one and at most some number of changed reads. */
export function* executions(
  run: readonly Transaction[],
  boundary: Boundary,
  most: number,
  isTable = false,
): Generator<BothHistories> {
  const single = run.flatMap(({ operations }, t) =>
    operations.flatMap(({ source, key, isFixed }, at) =>
      source === null || isFixed
        ? []
        : [-1, ...run.keys()]
            .filter(
              (w) => w !== t && w !== source && (w < 0 || run[w]!.operations.some((o) => o.write && o.key === key)),
            )
            .map((writer): Changed => ({ t, at, writer })),
    ),
  );
  const sets = [...setsOf(single, most)].filter((set) => set.length > 0);
  const parts = [...partsOf(run)];
  for (const changes of sets)
    for (const part of parts) {
      const histories = historiesWith(run, changes, part, boundary, isTable);
      if (histories !== null) yield histories;
    }
}

/** Lists the sets of changes up to a size; no set changes a read twice. */
function* setsOf(changes: readonly Changed[], most: number): Generator<readonly Changed[]> {
  yield [];
  if (most === 0) return;
  for (const [i, change] of changes.entries())
    for (const rest of setsOf(
      changes.slice(i + 1).filter(({ t, at }) => t !== change.t || at !== change.at),
      most - 1,
    ))
      yield [change, ...rest];
}

/** Lists the sets of transactions that contain the earlier transactions of each session. */
function* partsOf(run: readonly Transaction[]): Generator<ReadonlySet<number>> {
  for (let bits = 0; bits < 1 << run.length; bits++) {
    const part = new Set([...run.keys()].filter((t) => ((bits >> t) & 1) === 1));
    const isClosed = [...part].every((t) => run.every((u, i) => i > t || u.session !== run[t]!.session || part.has(i)));
    if (isClosed) yield part;
  }
}

function historiesWith(
  run: readonly Transaction[],
  changes: readonly Changed[],
  part: ReadonlySet<number>,
  boundary: Boundary,
  isTable: boolean,
): BothHistories | null {
  const state: State = { end: run.map(({ operations }) => operations.length), divergence: run.map(() => Infinity) };
  const lostOf = new Map<Changed, Set<string>>();
  for (let round = 0; round < 20; round++)
    for (const change of changes) settle(run, change, changes, state, boundary, lostOf);
  const changeAt = (t: number, at: number): Changed | undefined => changes.find((c) => c.t === t && c.at === at);
  for (const { t, at, writer } of changes) {
    if (!part.has(t) || at >= state.end[t]!) return null;
    if (writer >= 0 && (!part.has(writer) || lastWrite(run, writer, run[t]!.operations[at]!.key, state) < 0))
      return null;
  }
  for (const t of part) {
    const { operations, session } = run[t]!;
    for (let at = 0; at < state.end[t]!; at++) {
      const { source, key } = operations[at]!;
      if (source === null || source < 0 || changeAt(t, at)) continue;
      const write = run[source]!.operations.findLastIndex((o) => o.write && o.key === key);
      if (!part.has(source) || write >= state.end[source]! || write > state.divergence[source]!) return null;
    }
    for (let u = 0; u < t; u++) {
      if (run[u]!.session !== session || state.divergence[u] === Infinity) continue;
      if (boundary !== 'data-flow' || state.end[u]! < run[u]!.operations.length) return null;
      for (const [change, lost] of lostOf)
        if (change.t === u && operations.some((o) => lost.has(parameterOf(o)))) return null;
    }
  }
  const kept = [...part].toSorted((a, b) => a - b);
  const predicted = kept.map((t) => ({
    name: t,
    session: run[t]!.session,
    operations: operationsWith(run, t, state, (at) => changeAt(t, at)),
  }));
  const recorded = kept.map((t) => ({
    ...predicted[kept.indexOf(t)]!,
    operations: run[t]!.operations.slice(0, state.end[t]),
  }));
  return {
    predicted: historyOf(predicted, isTable),
    recorded: historyOf(recorded, isTable),
    distinct: isTable ? distinctHistory(predicted) : historyOf(predicted),
  };
}

/** Writes each version as a value of its own, and the match of each condition as a further key of a row. */
function distinctHistory(
  run: readonly { readonly name: number; readonly session: number; readonly operations: readonly Named[] }[],
): History {
  const statements: number[] = [];
  let statement = 0;
  const keysOf = (key: number): string[] => [`${key}`, ...KEYS.map((scan) => `${key} ${scan}`)];
  const sessions = bySession(run).map(([session, transactions]) => ({
    name: BigInt(session),
    transactions: transactions.map(({ name, operations }) => ({
      status: 'committed' as const,
      operations: operations.flatMap((one, at): PlainOperation[] => {
        if (operations[at - 1]?.statement !== one.statement || one.scan === null) statement++;
        const keys = one.write
          ? keysOf(one.key)
          : [
              one.scan === null || (!one.aggregate && isMatch(one.version, one.scan))
                ? `${one.key}`
                : `${one.key} ${one.scan}`,
            ];
        for (let i = 0; i < keys.length; i++) statements.push(statement);
        const value = one.write ? `${name} ${at}` : one.from;
        return keys.map((key) => ({ kind: one.write ? 'write' : 'read', key, value }));
      }),
    })),
  }));
  const history = fromPlain({ sessions, initial: 'initial' });
  return { ...history, opStatement: Int32Array.from(statements) };
}

/** An operation with the write whose version it sees, and the number of a version with unknown contents. */
interface Named extends Operation {
  readonly from: string;
  readonly number: number | null;
  readonly isUnknown: boolean;
}

const parameterOf = ({ scan, key }: Operation): string => String(scan ?? key);

const lastWrite = (run: readonly Transaction[], t: number, key: number, { end }: State): number =>
  run[t]!.operations.slice(0, end[t]).findLastIndex((o) => o.write && o.key === key);

/** Finds out whether a changed read returns another value, and applies the boundary. */
function settle(
  run: readonly Transaction[],
  change: Changed,
  changes: readonly Changed[],
  state: State,
  boundary: Boundary,
  lostOf: Map<Changed, Set<string>>,
): void {
  const { t, at } = change;
  const { scan, statement, aggregate } = run[t]!.operations[at]!;
  if (at >= state.end[t]!) return;
  const texts = aggregate ? lostResult(run, change, changes, state) : lostColumns(run, change, state);
  if (texts === null) return;
  const lost = new Set([...(lostOf.get(change) ?? []), ...texts]);
  lostOf.set(change, lost);
  state.divergence[t] = Math.min(state.divergence[t]!, at);
  const next = run[t]!.operations.findIndex((o, i) => i > at && (scan === null || o.statement !== statement));
  if (next < 0) return;
  if (boundary === 'strict') state.end[t] = Math.min(state.end[t]!, next);
  if (boundary !== 'data-flow') return;
  const dependent = firstDependent(run[t]!.operations, next, lost);
  if (dependent >= 0) state.end[t] = Math.min(state.end[t]!, dependent);
}

/** Finds the first operation that uses a lost text. The result of an aggregate with an unknown row of its own is lost. */
function firstDependent(operations: readonly Operation[], from: number, lost: Set<string>): number {
  const unknown = new Set<number>();
  for (const [i, each] of operations.entries()) {
    if (i < from) continue;
    if (lost.has(parameterOf(each))) return i;
    if (each.write && each.version !== null) unknown.add(each.key);
    else if (each.write) unknown.delete(each.key);
    else if (each.aggregate && unknown.has(each.key)) {
      const all = operations.filter(({ statement }) => statement === each.statement);
      const result = resultOfRows(each.aggregate, matching(all));
      if (result !== null) lost.add(String(result));
    }
  }
  return -1;
}

/** Returns the version that a changed read sees; undefined if there is none, and 'unknown' if its contents are unknown. */
function versionFor(
  run: readonly Transaction[],
  { t, at, writer }: Changed,
  state: State,
): Version | null | 'unknown' | undefined {
  const { key } = run[t]!.operations[at]!;
  if (writer < 0) return initialOf(key);
  const write = lastWrite(run, writer, key, state);
  if (write < 0) return undefined;
  const { version } = run[writer]!.operations[write]!;
  return write > state.divergence[writer]! && version !== null ? 'unknown' : version;
}

function lostColumns(run: readonly Transaction[], change: Changed, state: State): readonly string[] | null {
  const { version, scan } = run[change.t]!.operations[change.at]!;
  const seen = versionFor(run, change, state);
  if (seen === undefined || (seen !== 'unknown' && resultOf(version, scan) === resultOf(seen, scan))) return null;
  const now = seen === 'unknown' || (scan !== null && !isMatch(seen, scan)) ? null : seen;
  return scan !== null && !isMatch(version, scan) ? [] : lostTexts(version, now);
}

/** Computes an aggregate again. */
function lostResult(
  run: readonly Transaction[],
  change: Changed,
  changes: readonly Changed[],
  state: State,
): readonly string[] | null {
  const { operations } = run[change.t]!;
  const { aggregate, statement, scan } = operations[change.at]!;
  if (versionFor(run, change, state) === undefined) return null;
  const seen = [...operations.entries()].flatMap(([at, each]) => {
    if (each.statement !== statement) return [];
    const other = changes.find((c) => c.t === change.t && c.at === at);
    if (other !== undefined) {
      const version = versionFor(run, other, state);
      return [version === undefined ? each.version : version];
    }
    const own = operations.findLastIndex((o, i) => i < at && o.write && o.key === each.key);
    return own > state.divergence[change.t]! && each.version !== null ? ['unknown' as const] : [each.version];
  });
  const recorded = resultOfRows(aggregate!, matching(operations.filter((o) => o.statement === statement)));
  const known = seen.filter((version) => version !== 'unknown');
  const rows = known.flatMap((version) => (version !== null && isMatch(version, scan!) ? [version] : []));
  if (known.length === seen.length && resultOfRows(aggregate!, rows) === recorded) return null;
  return recorded === null ? [] : [String(recorded)];
}

const matching = (operations: readonly Operation[]): Version[] =>
  operations.flatMap(({ version, scan }) => (version !== null && isMatch(version, scan!) ? [version] : []));

const resultOf = (version: Version | null, scan: number | null): string | null =>
  scan !== null && !isMatch(version, scan) ? null : textOf(version);

const lostTexts = (recorded: Version | null, seen: Version | null): string[] =>
  (['n', 'to'] as const)
    .filter((column) => recorded !== null && recorded[column] !== seen?.[column])
    .map((column) => String(recorded![column]));

/** Returns the kept operations of a transaction, with the versions that they see or write. */
function operationsWith(
  run: readonly Transaction[],
  t: number,
  state: State,
  changeAt: (at: number) => Changed | undefined,
): Named[] {
  const own = new Map<number, Named>();
  const writeOf = (writer: number, key: number): Named => {
    const at = lastWrite(run, writer, key, state);
    return named(run, writer, at, state);
  };
  return run[t]!.operations.slice(0, state.end[t]).map((operation, at): Named => {
    const { write, key, source } = operation;
    if (write) {
      own.set(key, named(run, t, at, state));
      return own.get(key)!;
    }
    const writer = changeAt(at)?.writer ?? source;
    if (writer === null) {
      const { version, from, number, isUnknown } = own.get(key)!;
      return { ...operation, version, from, number, isUnknown };
    }
    const initial = { version: initialOf(key), from: 'initial', number: null, isUnknown: false };
    const { version, from, number, isUnknown } = writer < 0 ? initial : writeOf(writer, key);
    return { ...operation, version, from, number, isUnknown, source: writer };
  });
}

/** Names a write; a version after a changed value has a number if another version of its row looks the same. */
function named(run: readonly Transaction[], t: number, at: number, { divergence }: State): Named {
  const operation = run[t]!.operations[at]!;
  const { key, version } = operation;
  const text = textOf(version);
  const isEqual = (o: Operation): boolean => o !== operation && o.write && o.key === key && textOf(o.version) === text;
  const repeats = text === textOf(initialOf(key)) || run.some(({ operations }) => operations.some(isEqual));
  return {
    ...operation,
    from: `${t} ${at}`,
    number: version !== null && at > divergence[t]! && repeats ? 100 * t + at : null,
    isUnknown: version !== null && at > divergence[t]!,
  };
}
