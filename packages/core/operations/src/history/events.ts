import { type Operation, type OperationHistory, makeHistory } from './history.ts';
import type { Value } from './value.ts';

/** An event of a Jepsen history: an operation begins or ends, or something is remarked. */
export interface JepsenEvent {
  /** Its place among the events, from 0; the field `:index` of the file is among `fields`. */
  readonly index: number;
  readonly type: 'invoke' | 'ok' | 'fail' | 'info';
  readonly f: string;
  readonly value: Value;
  /** Null where no event of the history states one. */
  readonly process: Value;
  /** Nanoseconds; null where it is not stated. */
  readonly time: number | null;
  readonly line: number;
  /** All fields of the event, by name, keywords as values with their colon. */
  readonly fields: ReadonlyMap<string, Value>;
}

/** Problem with events: the place, the problem itself, and the expected input. */
export class EventError extends Error {
  override readonly name = 'EventError';
  readonly line: number;

  constructor(line: number, found: string, expected: string) {
    super(`line ${line}: found ${found}, expected ${expected}`);
    this.line = line;
  }
}

/** Clients are numbered; a process with a name, such as :nemesis, is none. */
const isClient = ({ process }: JepsenEvent): boolean => process === null || typeof process !== 'string';

/** The invocation and the completion of each operation of a client, which is missing where there is none. */
export interface EventPair {
  readonly invocation: JepsenEvent;
  readonly completion: JepsenEvent | null;
}

/** Pairs events of clients, in the order of invocations. A process does one thing at a time. */
export function pairsOf(events: readonly JepsenEvent[]): readonly EventPair[] {
  const completionOf = new Map<JepsenEvent, JepsenEvent>();
  const open = new Map<Value, JepsenEvent>();
  for (const event of events) {
    if (!isClient(event)) continue;
    const { process, type, line, f } = event;
    const invocation = open.get(process);
    if (type === 'invoke') {
      if (invocation) {
        const expected = `the completion of what ${named(process)} invoked on line ${invocation.line}`;
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
      if (type === 'info') continue; // a remark
      throw new EventError(line, `${f} of type ${type}`, `invoke, because ${named(process)} has no open operation`);
    }
    if (invocation.f !== f && type !== 'info')
      throw new EventError(line, `a completion of ${f}`, `one of ${invocation.f}, invoked on line ${invocation.line}`);
    completionOf.set(invocation, event);
    open.delete(process);
  }
  return events
    .filter((event) => isClient(event) && event.type === 'invoke')
    .map((invocation) => ({ invocation, completion: completionOf.get(invocation) ?? null }));
}

const named = (process: Value): string => (process === null ? 'the only process' : `process ${String(process)}`);

/**
 * Operations of events: the order of the file is that of time. A failed operation did not happen, unless its function
 * is listed as one whose failure is a result; its completion must then repeat the argument, and state no reason
 * instead.
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
