import type { Operation, OperationHistory, OperationLevel, SequentialModel, Value } from '@isolab/operations';
import { refuse } from '../verdict/flaw.ts';
import { Objects, type PartStates } from './states.ts';

export interface ObjectPart {
  readonly kept: readonly number[];
  readonly relaxed: readonly number[];
  readonly until: number | null;
}

/**
 * Verifies a part of a history that has no valid order, although any valid order of the history would leave a valid
 * order of the part. The part may be reduced as follows:
 * - Operations called after some moment may be removed, and operations that returned after it may become pending,
 * because every prefix of a linearizable history is linearizable. This does not apply to sequential consistency.
 * - A pending operation may or may not have happened, with any result, so that making an operation pending allows more
 * orders.
 * - Reads may be removed, because they change nothing, and so may all operations on other parts of the object.
 */
export function verifyPart(
  { operations }: OperationHistory,
  model: SequentialModel,
  level: OperationLevel,
  { kept, relaxed, until }: ObjectPart,
  limit: number,
): void {
  if (level === 'sequential' && until !== null) refuse('until is not null, but no history is cut at this level');
  const isCalled = ({ call }: Operation): boolean => until === null || call <= until;
  const chosen = new Set([...kept, ...relaxed]);
  if (chosen.size !== kept.length + relaxed.length) refuse('the part lists an operation twice');
  for (const i of kept) {
    const returned = operations[i]!.return;
    if (returned === null || (until !== null && returned > until))
      refuse(`operation ${i} is kept, but did not return${until === null ? '' : ' by then'}`);
  }
  for (const i of relaxed) if (!isCalled(operations[i]!)) refuse(`operation ${i} was called after until`);
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

/** Tries all orders, and visits each pair of a set of executed operations and a state once. */
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
    // Cost of a configuration: the examination of all operations, and a copy of the executed operations for each
    // successor.
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

/** Returns the operations that must directly precede each operation, without transitive predecessors. */
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
