/**
 * All executions within a boundary, by brute force: every part of the sessions, every set of changed reads up to a size
 * and every version for them. The rules are written down again here, without code of the search.
 */
import type { History } from '@isolab/history';
import type { Boundary } from '../../src/index.ts';
import { type Operation, type Transaction, type Version, historyOf, initialOf } from './programs.ts';

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
}

/** Lists all executions with at least one and at most some number of changed reads. */
export function* executions(run: readonly Transaction[], boundary: Boundary, most: number): Generator<BothHistories> {
  const single = run.flatMap(({ operations }, t) =>
    operations.flatMap(({ source, key }, at) =>
      source === null
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
      const histories = historiesWith(run, changes, part, boundary);
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
): BothHistories | null {
  const state: State = { end: run.map(({ operations }) => operations.length), divergence: run.map(() => Infinity) };
  const lostOf = new Map<Changed, ReadonlySet<string>>();
  for (let round = 0; round < 20; round++) for (const change of changes) settle(run, change, state, boundary, lostOf);
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
        if (change.t === u && operations.some(({ key }) => lost.has(String(key)))) return null;
    }
  }
  const written = (operationsOf: (t: number) => readonly Operation[]): History =>
    historyOf(
      [...part]
        .toSorted((a, b) => a - b)
        .map((t) => ({ name: t, session: run[t]!.session, operations: operationsOf(t) })),
    );
  return {
    predicted: written((t) => operationsWith(run, t, state, (at) => changeAt(t, at))),
    recorded: written((t) => run[t]!.operations.slice(0, state.end[t])),
  };
}

const lastWrite = (run: readonly Transaction[], t: number, key: number, { end }: State): number =>
  run[t]!.operations.slice(0, end[t]).findLastIndex((o) => o.write && o.key === key);

/** Finds out whether a changed read returns another value, and applies the boundary. */
function settle(
  run: readonly Transaction[],
  change: Changed,
  state: State,
  boundary: Boundary,
  lostOf: Map<Changed, ReadonlySet<string>>,
): void {
  const { t, at, writer } = change;
  const { key, version } = run[t]!.operations[at]!;
  const write = writer < 0 ? -1 : lastWrite(run, writer, key, state);
  if ((writer >= 0 && write < 0) || at >= state.end[t]!) return;
  const isUnknown = writer >= 0 && write > state.divergence[writer]!;
  const seen = writer < 0 ? initialOf(key) : run[writer]!.operations[write]!.version;
  const lost = new Set([...(lostOf.get(change) ?? []), ...lostTexts(version, isUnknown ? null : seen)]);
  lostOf.set(change, lost);
  state.divergence[t] = Math.min(state.divergence[t]!, at);
  if (boundary === 'strict') state.end[t] = Math.min(state.end[t]!, at + 1);
  if (boundary !== 'data-flow') return;
  const dependent = run[t]!.operations.findIndex((o, i) => i > at && lost.has(String(o.key)));
  if (dependent >= 0) state.end[t] = Math.min(state.end[t]!, dependent);
}

const lostTexts = (recorded: Version, seen: Version | null): string[] =>
  (['n', 'to'] as const)
    .filter((column) => recorded[column] !== seen?.[column])
    .map((column) => String(recorded[column]));

function operationsWith(
  run: readonly Transaction[],
  t: number,
  state: State,
  changeAt: (at: number) => Changed | undefined,
): Operation[] {
  const own = new Map<number, Version>();
  return run[t]!.operations.slice(0, state.end[t]).map((operation, at) => {
    if (operation.write) own.set(operation.key, operation.version);
    const change = changeAt(at);
    if (change === undefined) return operation;
    const { writer } = change;
    const { key } = operation;
    const version = writer < 0 ? initialOf(key) : run[writer]!.operations[lastWrite(run, writer, key, state)]!.version;
    return { ...operation, version, source: writer };
  });
}
