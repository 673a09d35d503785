import type { Operation, OperationHistory, OperationLevel, SequentialModel, Value } from '@isolab/operations';
import { refuse } from '../verdict/flaw.ts';
import { Objects, type PartStates } from './states.ts';

export interface ObjectPart {
  readonly kept: readonly number[];
  readonly relaxed: readonly number[];
  readonly until: number | null;
}

/**
 * A part of a history that has no order, while every order of the history would leave one of it. The reasons:
 *
 * - Operations called after a moment may go, and operations that returned after it may count as pending: of a
 *   linearizable history every beginning is linearizable. Sequential consistency knows no moments.
 * - A pending operation may have happened or not, with any result, so to forget that an operation returned allows more.
 * - Reads may go, since they change nothing, and so may all operations on other parts of the object.
 */
export function verifyPart(
  { operations }: OperationHistory,
  model: SequentialModel,
  level: OperationLevel,
  { kept, relaxed, until }: ObjectPart,
  limit: number,
): void {
  if (level === 'sequential' && until !== null) refuse('a moment cuts off no part of a history at this level');
  const isCalled = ({ call }: Operation): boolean => until === null || call <= until;
  const chosen = new Set([...kept, ...relaxed]);
  if (chosen.size !== kept.length + relaxed.length) refuse('an operation stands twice in the part');
  for (const i of kept) {
    const returned = operations[i]!.return;
    if (returned === null || (until !== null && returned > until))
      refuse(`operation ${i} is kept, but did not return${until === null ? '' : ' by then'}`);
  }
  for (const i of relaxed) if (!isCalled(operations[i]!)) refuse(`operation ${i} was called after the moment`);
  const objects = new Objects(model);
  const parts = new Set([...chosen].map((i) => objects.partOf(operations[i]!)));
  for (const [i, operation] of operations.entries()) {
    if (chosen.has(i) || !isCalled(operation) || !parts.has(objects.partOf(operation))) continue;
    if (model.isRead?.(operation) !== true) refuse(`operation ${i} is left out, although it may change the object`);
  }
  const members = [...chosen].toSorted((i, j) => i - j);
  const isKept = new Set(kept);
  const part = members.map((i): Operation =>
    isKept.has(i) ? operations[i]! : { ...operations[i]!, result: undefined, return: null },
  );
  if (hasOrder(part, level, objects, limit)) refuse('the part has an order that the model allows');
}

/** Tries all orders, from each set of operations that took place and each state once. */
function hasOrder(part: readonly Operation[], level: OperationLevel, objects: Objects, limit: number): boolean {
  const before = predecessorsOf(part, level);
  const needed = part.filter(({ return: returned }) => returned !== null).length;
  const seen = new Seen(objects);
  let work = 0;
  interface Configuration {
    readonly placed: ReadonlySet<number>;
    readonly states: PartStates;
    readonly numKept: number;
  }
  const open: Configuration[] = [{ placed: new Set(), states: objects.initial(), numKept: 0 }];
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    if (from.numKept === needed) return true;
    // Cost of a configuration: to examine all operations, and to keep those that took place for each successor.
    work += part.length;
    if (work > limit) refuse(`the part is too large to verify in ${limit} steps`);
    for (const [i, operation] of part.entries()) {
      if (from.placed.has(i)) continue;
      if (before[i]!.some((each) => !from.placed.has(each))) continue;
      const states = objects.after(from.states, operation);
      if (objects.isNone(states)) continue;
      const placed = new Set(from.placed).add(i);
      work += placed.size;
      if (seen.add(placed, states)) {
        const numKept = from.numKept + (operation.return === null ? 0 : 1);
        open.push({ placed, states, numKept });
      }
    }
  }
  return false;
}

/** Operations that must come before each operation; those that follow through others are left out. */
function predecessorsOf(part: readonly Operation[], level: OperationLevel): readonly (readonly number[])[] {
  if (level === 'sequential') {
    const last = new Map<Value, number>();
    return part.map(({ process, return: returned }, i) => {
      const before = last.get(process);
      if (returned !== null) last.set(process, i);
      return before === undefined ? [] : [before];
    });
  }
  return part.map(({ call }) => {
    const earlier = [...part.keys()].filter((j) => part[j]!.return !== null && part[j]!.return! < call);
    const latestCall = Math.max(...earlier.map((j) => part[j]!.call));
    return earlier.filter((j) => part[j]!.return! >= latestCall);
  });
}

class Seen {
  readonly #objects: Objects;
  readonly #known = new Map<string, PartStates[]>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  add(placed: ReadonlySet<number>, states: PartStates): boolean {
    const text = this.#objects.textOf(states);
    const key = `${[...placed].toSorted((a, b) => a - b).join()} ${text ?? ''}`;
    const known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, text === null ? [states] : []);
    else {
      if (text !== null || known.some((each) => this.#objects.isSame(each, states))) return false;
      known.push(states);
    }
    return true;
  }
}
