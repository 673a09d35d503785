import type { Operation } from '../history/history.ts';
import type { SequentialModel } from './model.ts';
import type { Value } from '../history/value.ts';

/**
 * Combines many objects of one model, one per key, as jepsen.independent does: arguments and results are pairs of a key
 * and a value.
 */
export function keyed(model: SequentialModel): SequentialModel {
  const inner = (operation: Operation): Operation => ({
    ...operation,
    argument: pair(operation.argument, operation.f)[1],
    result: operation.result === undefined ? undefined : pair(operation.result, operation.f)[1],
  });
  const { step, steps, isRead, partition } = model;
  return {
    ...model,
    ...(step && { step: (state: unknown, operation: Operation) => step.call(model, state, inner(operation)) }),
    ...(steps && { steps: (state: unknown, operation: Operation) => steps.call(model, state, inner(operation)) }),
    ...(isRead && { isRead: (operation: Operation) => isRead.call(model, inner(operation)) }),
    partition: (operation) => {
      const [key] = pair(operation.argument, operation.f);
      return partition ? [key, partition.call(model, inner(operation))] : key;
    },
  };
}

function pair(value: Value, f: string): readonly [Value, Value] {
  if (Array.isArray(value) && value.length === 2) return value as [Value, Value];
  throw new Error(`expected a key and a value in ${f}, as jepsen.independent writes them`);
}
