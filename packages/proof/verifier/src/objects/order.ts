import {
  type OperationHistory,
  type OperationLevel,
  type SequentialModel,
  type Value,
  showValue,
} from '@isolab/operations';
import { refuse } from '../verdict/flaw.ts';
import { Objects } from './states.ts';

/** Verifies an order of all returned operations and some pending operations against the level and the model. */
export function verifyOrder(
  { operations }: OperationHistory,
  model: SequentialModel,
  level: OperationLevel,
  order: readonly number[],
): void {
  const place = new Map<number, number>();
  for (const [at, i] of order.entries()) {
    if (place.has(i)) refuse(`the order lists operation ${i} twice`);
    place.set(i, at);
  }
  for (const [i, { return: returned }] of operations.entries())
    if (returned !== null && !place.has(i)) refuse(`operation ${i} returned, but is not in the order`);
  if (level === 'linearizable') verifyTime(operations, order);
  else verifyPrograms(operations, place);

  const objects = new Objects(model);
  let states = objects.initial();
  for (const i of order) {
    states = objects.after(states, operations[i]!);
    if (objects.isNone(states)) {
      const { f, result } = operations[i]!;
      refuse(
        `operation ${i} (${f}) cannot have the result ${result === undefined ? '?' : showValue(result)} in its place`,
      );
    }
  }
}

function verifyTime(operations: OperationHistory['operations'], order: readonly number[]): void {
  let latest = -1; // the latest call among the operations so far
  for (const i of order) {
    const { call, return: returned } = operations[i]!;
    if (latest >= 0 && returned !== null && returned < operations[latest]!.call)
      refuse(`operation ${i} returned before operation ${latest} was called, but comes after it in the order`);
    if (latest < 0 || call > operations[latest]!.call) latest = i;
  }
}

function verifyPrograms(operations: OperationHistory['operations'], place: ReadonlyMap<number, number>): void {
  const last = new Map<Value, number>();
  for (const [i, { process, return: returned }] of operations.entries()) {
    const before = last.get(process);
    if (before !== undefined && place.has(i) && place.get(before)! > place.get(i)!)
      refuse(
        `operation ${before} returned to its process before operation ${i} was called, but comes after it in the order`,
      );
    if (returned !== null) last.set(process, i);
  }
}
