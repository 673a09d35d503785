import type { JepsenEvent, Value } from '@isolab/operations';

/** Results of a checker of Jepsen: `:valid?` and further fields, under Jepsen's names. */
export interface JepsenResults {
  readonly 'valid?': boolean | 'unknown';
  readonly [field: string]: unknown;
}

/** Options of a checker, under the names of elle-cli's flags. */
export interface JepsenOptions {
  /** Option of bank. */
  readonly allowNegativeBalances?: boolean;
  readonly totalAmount?: number;
  /** Option of long-fork: number of keys that each read requests. */
  readonly groupSize?: number;
  /** Option of set-full: whether stale reads are errors. */
  readonly linearizable?: boolean;
}

export type JepsenChecker = (events: readonly JepsenEvent[], options: JepsenOptions) => JepsenResults;

/** A history that does not suit a checker: the event, its flaw, and the expected form. */
export class IllegalHistory extends Error {
  override readonly name = 'IllegalHistory';

  constructor(event: JepsenEvent, found: string, expected: string) {
    super(`line ${event.line}: found ${found}, expected ${expected}`);
  }
}

export const okReads = (events: readonly JepsenEvent[]): readonly JepsenEvent[] =>
  events.filter(({ type, f }) => type === 'ok' && f === 'read');

export function elementsOf(event: JepsenEvent): readonly Value[] {
  const { value } = event;
  if (Array.isArray(value)) return value as readonly Value[];
  if (value instanceof Set) return [...(value as ReadonlySet<Value>)];
  throw new IllegalHistory(
    event,
    value === null ? 'no value' : 'a value of another form',
    'the elements that were read',
  );
}

/** An integer, as a bigint for sums. */
export function integerOf(value: Value, event: JepsenEvent, what: string): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  throw new IllegalHistory(event, `${String(value)} as ${what}`, 'an integer');
}

export const shown = ({ fields }: JepsenEvent): ReadonlyMap<string, Value> => fields;
