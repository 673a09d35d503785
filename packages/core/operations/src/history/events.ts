import { type Operation, type OperationHistory, makeHistory } from './history.ts';
import type { Value } from './value.ts';

/** An event of a Jepsen history: the beginning or end of an operation, or a remark. */
export interface JepsenEvent {
  /** Place among the events, from 0; the file's `:index` is in `fields`. */
  readonly index: number;
  readonly type: 'invoke' | 'ok' | 'fail' | 'info';
  readonly f: string;
  readonly value: Value;
  /** Null if no event of the history states a process. */
  readonly process: Value;
  /** In nanoseconds; null if not stated. */
  readonly time: number | null;
  readonly line: number;
  /** All fields of the event by name; keywords in values keep their colon. */
  readonly fields: ReadonlyMap<string, Value>;
}

/** A problem with events: the place, the problem itself, and the expected input. */
export class EventError extends Error {
  override readonly name = 'EventError';
  readonly line: number;

  constructor(line: number, found: string, expected: string) {
    super(`line ${line}: found ${found}, expected ${expected}`);
    this.line = line;
  }
}

/** Clients are numbered; a process with a name, such as :nemesis, is not a client. */
const isClient = ({ process }: JepsenEvent): boolean => process === null || typeof process !== 'string';

/** Invocation of a client's operation and its completion, which may be missing. */
export interface EventPair {
  readonly invocation: JepsenEvent;
  readonly completion: JepsenEvent | null;
}

/** Pairs events of clients, in the order of invocations. Each process has one operation at a time. */
export function pairsOf(events: readonly JepsenEvent[]): readonly EventPair[] {
  const completionOf = new Map<JepsenEvent, JepsenEvent>();
  const open = new Map<Value, JepsenEvent>();
  for (const event of events) {
    if (!isClient(event)) continue;
    const { process, type, line, f } = event;
    const invocation = open.get(process);
    if (type === 'invoke') {
      if (invocation) {
        const expected = `the completion of the operation that ${named(process)} invoked on line ${invocation.line}`;
        throw new EventError(
          line,
          `an invocation of ${f}`,
          process === null ? `${expected}, or a process in every event` : expected,
        );
      }
      open.set(process, event);
      continue;
    }
    if (invocation === undefined) {
      if (type === 'info') continue;
      throw new EventError(line, `${f} of type ${type}`, `invoke, because ${named(process)} has no open operation`);
    }
    if (invocation.f !== f && type !== 'info')
      throw new EventError(
        line,
        `a completion of ${f}`,
        `a completion of ${invocation.f}, invoked on line ${invocation.line}`,
      );
    completionOf.set(invocation, event);
    open.delete(process);
  }
  return events
    .filter((event) => isClient(event) && event.type === 'invoke')
    .map((invocation) => ({ invocation, completion: completionOf.get(invocation) ?? null }));
}

const named = (process: Value): string => (process === null ? 'the only process' : `process ${String(process)}`);

/**
 * Converts events to operations; the order of events is the order of time. A failed operation did not happen, unless
 * failure is a result of its function (`failuresOf`); then its completion must repeat the argument and must not state a
 * reason instead.
 */
export function operationsOf(events: readonly JepsenEvent[], failuresOf: readonly string[] = []): OperationHistory {
  const operations: Operation[] = [];
  let numFailed = 0;
  for (const { invocation, completion } of pairsOf(events)) {
    const { index, f, value, process, line } = invocation;
    const type = completion?.type ?? 'info';
    const called = { process, f, argument: value, call: index, place: `line ${line}` };
    if (type === 'ok') operations.push({ ...called, result: completion!.value, return: completion!.index });
    else if (type === 'info') operations.push({ ...called, result: undefined, return: null });
    else if (failuresOf.includes(f) && Array.isArray(completion!.value) && !completion!.fields.has('error'))
      operations.push({ ...called, result: false, return: completion!.index });
    else numFailed++;
  }
  return makeHistory(operations, numFailed);
}
