import {
  type CheckInput,
  type Checker,
  type IndexedHistory,
  type InputOf,
  type LevelName,
  indexed,
  mayHaveHappenedAt,
  takes,
} from '@isolab/contract';
import {
  type History,
  HistoryBuilder,
  LIST_KINDS,
  SHAPES_WITHOUT_EXCHANGES,
  type PassedOver,
  type HistoryEvidence,
  type PolygraphInput,
  type Threads,
  beginEvidence,
  countFailedCompareAndSets,
  countOpaqueScans,
  countOperations,
  hasRegistersOrLists,
  openAggregates,
  passesOverFew,
  toRegisters,
  weighEvidence,
} from '@isolab/history';
import { type Evidence, evidenceOfPolygraph } from './evidence.ts';
import { StageClock } from './stage-clock.ts';
import { type Lowered, alternatives, shapeOf } from './refusals.ts';

/** A history with the facts that all checkers need. It is prepared once for any number of runs. */
export interface Prepared<Input extends CheckInput = CheckInput> {
  readonly history: History;
  /** Times of the stages before the runs: opening, parsing, indexing, and weighing the evidence. */
  readonly clock: StageClock;
  /**
   * Returns the input of a checker: the history unchanged, or lowered to reads and writes for checkers of registers.
   */
  inputFor(checker: Checker): PreparedInput<Input>;
  /** Evidence for verdicts on the history, computed on first request. */
  evidence(): Evidence;
  /** Number of aggregates that the lowered history cannot express and the level has to explain. */
  undecidedAggregates(level: LevelName): number;
}

export type PreparedHistory = Prepared<InputOf<'history' | 'scans'>>;

export type PreparedInput<Input extends CheckInput = CheckInput> = HostFields & Input;

interface HostFields extends Lowered {
  /** Whether `history` is a lowered form of the given history. */
  readonly lowered: boolean;
  /** Original operation of every operation of a lowered history; null if nothing was lowered. */
  readonly opOf: Int32Array | null;
}

export function prepare(history: History, clock = new StageClock(), threads: Threads | null = null): PreparedHistory {
  const once = <T>(make: () => T): (() => T) => onceWithin(clock, 'index', make);
  const canBeLowered = once(() => !hasRegistersOrLists(history));
  let weighed: (() => HistoryEvidence) | null = null;
  const asItIs = once(() => {
    const input = inputOf(history, null, threads);
    if (threads !== null && countOperations(history) >= threads.leastOperations && !canBeLowered())
      weighed = beginEvidence(threads, input);
    return input;
  });
  const registers = once(() => toRegisters(history));
  const hasScans = history.scans.table.length > 0;
  const lowered = once(() => ({
    ...inputOf(registers().history, registers().opOf),
    ...(hasScans && { rows: { history, opOf: registers().opOf } }),
  }));
  const withScans = once(() => {
    const { history: returned, opOf } = toRegisters(history, NOTHING_PASSED_OVER);
    return { ...inputOf(returned, opOf), kind: 'scans' as const, withScans: history };
  });
  // Scans read repeated values for the rows that they pass over. Even a checker that reads only some of these rows must
  // see the repetition, if it accepts only lists of unique values.
  const readsAll = hasScans && LIST_KINDS.some((kind) => history.opKind.includes(kind));
  return {
    history,
    clock,
    inputFor(checker) {
      if (!canBeLowered() || !mustBeLowered(checker, asItIs())) return asItIs();
      return hasScans && !readsAll && takes(checker.info, 'scans') ? withScans() : lowered();
    },
    undecidedAggregates: (level) =>
      hasScans
        ? openAggregates(history, registers().undecidedAggregates, mayHaveHappenedAt(level, lowered().index)).length
        : 0,
    evidence: onceWithin(clock, 'evidence', () => {
      // A scan passes over every row that ever existed. If there are many such rows, they are not counted as reads.
      const isLarge = hasScans && !passesOverFew(history);
      const input = isLarge ? withScans() : canBeLowered() ? lowered() : asItIs();
      return {
        kind: 'history',
        ...(weighed?.() ?? weighEvidence(input.history, input.index)),
        failedCompareAndSets: countFailedCompareAndSets(history),
        opaqueScans: countOpaqueScans(history),
      };
    }),
  };
}

/** Prepares a polygraph, with a history that names its nodes. Each node is an empty transaction in its own session. */
export function preparePolygraph(polygraph: PolygraphInput, clock = new StageClock()): Prepared<InputOf<'polygraph'>> {
  const builder = new HistoryBuilder({ format: 'polyg', file: polygraph.name, unit: 'record' });
  for (let node = 0; node < polygraph.nodes; node++) builder.begin(builder.session(BigInt(node)), node);
  const input = { kind: 'polygraph', polygraph, lowered: false, opOf: null } as const;
  return {
    history: builder.finish(),
    clock,
    inputFor: () => input,
    evidence: () => evidenceOfPolygraph(polygraph),
    undecidedAggregates: () => 0,
  };
}

function inputOf(
  history: History,
  opOf: Int32Array | null,
  threads: Threads | null = null,
): PreparedInput<InputOf<'history'>> {
  return { ...indexed(history, threads), kind: 'history', lowered: opOf !== null, opOf };
}

/**
 * Returns whether the history must be lowered because the checker accepts only registers or lists, and the history has
 * other operations, such as exchanges and range reads. Operations of aborted transactions count too, because
 * certificates number all operations.
 */
const mustBeLowered = ({ info }: Checker, input: IndexedHistory): boolean =>
  info.requires
    .map(alternatives)
    .some(
      (shapes) =>
        shapes.some((shape) => SHAPES_WITHOUT_EXCHANGES.includes(shape)) &&
        !shapes.some((shape) => !SHAPES_WITHOUT_EXCHANGES.includes(shape) && shapeOf(input, shape).holds),
    );

const NOTHING_PASSED_OVER: PassedOver = new Map();

/** Computes a value on the first request, as a stage. */
function onceWithin<T>(clock: StageClock, stage: string, make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: clock.within(stage, make) }).value;
}
