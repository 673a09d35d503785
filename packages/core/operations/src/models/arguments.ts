import type { Operation } from '../history/history.ts';
import type { Value } from '../history/value.ts';

/** Returns the argument of an operation that takes two values. */
export function pairOf({ f, argument }: Operation): [Value, Value] {
  if (Array.isArray(argument) && argument.length === 2) return argument as [Value, Value];
  throw new Error(`expected two values as the argument of ${f}`);
}

/** Returns the elements of a result that is a collection. */
export function elementsOf({ f, result }: Operation): readonly Value[] {
  if (Array.isArray(result)) return result as readonly Value[];
  if (result instanceof Set) return [...(result as ReadonlySet<Value>)];
  throw new Error(`expected a collection as the result of ${f}`);
}

export function numberOf(value: Value, of: string): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  throw new Error(`expected an integer as the ${of}`);
}
