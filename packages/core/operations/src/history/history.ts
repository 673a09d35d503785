import type { Value } from './value.ts';

/** A client's operation: its call and its result. */
export interface Operation {
  readonly process: Value;
  readonly f: string;
  readonly argument: Value;
  /** Undefined if unknown, as for every pending operation. */
  readonly result: Value | undefined;
  /** Time of the call, in any unit; operations with equal times are unordered. */
  readonly call: number;
  /**
   * Time of the return; null for an operation without a return, which may have happened at any time after its call, or
   * never.
   */
  readonly return: number | null;
  /** Place in its file, such as "line 12". */
  readonly place?: string;
}

/** Operations that happened or may have happened, in the order of their calls, without failed operations. */
export interface OperationHistory {
  readonly operations: readonly Operation[];
  /** Number of operations that certainly did not happen and were left out. */
  readonly numFailed: number;
}

/** A problem with operations: the operation, the problem itself, and the expected input. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
  readonly operation: Operation;
  readonly found: string;
  readonly expected: string;

  constructor(operation: Operation, found: string, expected: string) {
    super(`${operation.place ?? `the operation called at ${operation.call}`}: found ${found}, expected ${expected}`);
    this.operation = operation;
    this.found = found;
    this.expected = expected;
  }
}

/**
 * Sorts operations by call. Throws if a process has two operations at the same time; a pending operation, which never
 * returned, may be followed by more operations of its process.
 */
export function makeHistory(operations: readonly Operation[], numFailed = 0): OperationHistory {
  const sorted = operations.toSorted((a, b) => a.call - b.call);
  const last = new Map<Value, Operation>();
  for (const operation of sorted) {
    const { process, call } = operation;
    if (!Number.isFinite(call)) throw new OperationError(operation, `the call time ${call}`, 'a number');
    if (operation.return !== null && !(operation.return >= call))
      throw new OperationError(operation, `a return at ${operation.return}, before the call at ${call}`, 'a later one');
    const before = last.get(process);
    if (before !== undefined && (before.return ?? before.call) >= call) {
      const found = `a call at ${call}, while process ${String(process)} had called at ${before.call} and returned ${before.return === null ? 'never' : `at ${before.return}`}`;
      throw new OperationError(operation, found, 'a later call; if the clock is too coarse, number the events instead');
    }
    last.set(process, operation);
  }
  return { operations: sorted, numFailed };
}

/**
 * Returns, for each operation, the last operation of its process that returned before its call, or −1: program order.
 */
export function previousInProcess({ operations }: OperationHistory): Int32Array {
  const last = new Map<Value, number>();
  return Int32Array.from(operations, ({ process, return: returned }, i) => {
    const before = last.get(process) ?? -1;
    if (returned !== null) last.set(process, i);
    return before;
  });
}
