import type { Checker, CheckInput } from '@isolab/checker';
import {
  type History,
  HistoryBuilder,
  type HistoryShape,
  OpKind,
  type PolygraphInput,
  buildReadFrom,
  checkShape,
  findInternalAnomalies,
  toRegisters,
} from '@isolab/history';
import { moveToShared } from './columns.ts';

/** A history with what all checkers need to know about it; made once, for any number of runs. */
export interface Prepared {
  /** The history as it was given. */
  readonly history: History;
  /** What a checker is given: the history as it is, or lowered to reads and writes if that is all it knows. */
  inputFor(checker: Checker): PreparedInput;
}

export interface PreparedInput extends CheckInput {
  /** Whether `history` is a lowered form of the history that was given. */
  readonly lowered: boolean;
  /** For every operation of a lowered history the operation that it stems from; null where nothing was lowered. */
  readonly opOf: Int32Array | null;
}

export interface PrepareOptions {
  /**
   * The caller gives the history up, which moves into memory shared with workers; otherwise it is copied there when the
   * first worker needs it.
   */
  readonly move?: boolean;
}

export function prepare(given: History, { move = false }: PrepareOptions = {}): Prepared {
  const history = move ? moveToShared(given) : given;
  const asItIs = once(() => inputOf(history, null));
  const lowered = once(() => {
    const registers = toRegisters(history);
    return inputOf(registers.history, registers.opOf);
  });
  return {
    history,
    inputFor: (checker) => (mustBeLowered(checker, history, asItIs) ? lowered() : asItIs()),
  };
}

/** A polygraph in the place of a history: one transaction without operations, alone in its session, for each node. */
export function preparePolygraph(polygraph: PolygraphInput): Prepared {
  const builder = new HistoryBuilder({ format: 'polyg', file: polygraph.name, unit: 'record' });
  for (let node = 0; node < polygraph.nodes; node++) builder.begin(builder.session(BigInt(node)), node);
  const input = { ...inputOf(builder.finish(), null), polygraph };
  return { history: input.history, inputFor: () => input };
}

function inputOf(history: History, opOf: Int32Array | null): PreparedInput {
  const index = buildReadFrom(history);
  return { history, index, internal: findInternalAnomalies(history, index), lowered: opOf !== null, opOf };
}

/** Whether a checker asks for registers, and nothing else that it would take instead holds. */
function mustBeLowered({ info }: Checker, history: History, asItIs: () => CheckInput): boolean {
  const asking = info.requires.map(alternatives).filter((shapes) => shapes.includes('registers'));
  if (asking.length === 0 || !history.opKind.some((kind) => kind >= OpKind.CompareAndSet)) return false;
  const { index } = asItIs();
  return asking.some((shapes) => !shapes.some((shape) => checkShape(history, index, shape).holds));
}

export const alternatives = (required: HistoryShape | readonly HistoryShape[]): readonly HistoryShape[] =>
  typeof required === 'string' ? [required] : required;

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
