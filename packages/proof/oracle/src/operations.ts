import {
  type Operation,
  type OperationHistory,
  type OperationLevel,
  type SequentialModel,
  nextStates,
  textOf,
} from '@isolab/operations';

/** Decides whether some order of the operations satisfies a level, by trying all orders of a tiny history. */
export function decideOperations(
  { operations }: OperationHistory,
  model: SequentialModel,
  level: OperationLevel,
): boolean {
  const mustPrecede = (a: Operation, b: Operation): boolean =>
    a.return !== null && a.return < b.call && (level === 'linearizable' || a.process === b.process);
  const partOf = (operation: Operation): string =>
    model.partition === undefined ? '' : textOf(model.partition(operation));
  const run = (left: readonly Operation[], states: ReadonlyMap<string, readonly unknown[]>): boolean => {
    if (left.every((operation) => operation.return === null)) return true;
    return left.some((operation) => {
      if (left.some((other) => other !== operation && mustPrecede(other, operation))) return false;
      const part = partOf(operation);
      const next = (states.get(part) ?? [model.initial]).flatMap((state) => nextStates(model, state, operation));
      if (next.length === 0) return false;
      const rest = left.filter((other) => other !== operation);
      return run(rest, new Map(states).set(part, next));
    });
  };
  return run(operations, new Map());
}
