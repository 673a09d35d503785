import { type Operation, type OperationLevel, findModel, makeHistory } from '@isolab/operations';
import { describe, expect, test } from 'vitest';
import { verifyOperations } from '../../src/index.ts';

const REGISTER = findModel('register')!;
const op = (process: number, f: string, value: number | null, call: number, returned: number | null): Operation => ({
  process,
  f,
  argument: f === 'write' ? value : null,
  result: returned === null ? undefined : f === 'write' ? null : value,
  call,
  return: returned,
});

// write 1, then write 2 while a read of 1 and one of 2 continue; a write of 3 is pending.
const history = makeHistory([
  op(0, 'write', 1, 0, 1),
  op(0, 'write', 2, 2, 6),
  op(1, 'read', 1, 3, 4),
  op(1, 'read', 2, 5, 7),
  op(2, 'write', 3, 3.5, null),
]);
// Sorted by call: 0 write 1, 1 write 2, 2 read 1, 3 write 3, 4 read 2.
const order = (numbers: unknown, level: OperationLevel = 'linearizable'): string => {
  const found = verifyOperations(history, REGISTER, level, 'satisfied', { kind: 'operation-order', order: numbers });
  return found.ok ? 'accepted' : found.problem;
};

describe('an order', () => {
  test.each<[unknown, string]>([
    [[0, 2, 1, 4], 'accepted'],
    [[0, 2, 3, 1, 4], 'accepted'],
    [[0, 2, 4], 'operation 1 returned, but is not in the order'],
    [[0, 2, 1, 1, 4], 'the order lists operation 1 twice'],
    [[2, 0, 1, 4], 'operation 0 returned before operation 2 was called, but comes after it in the order'],
    [[0, 1, 2, 4], 'operation 2 (read) cannot have the result 1 in its place'],
    [[0, 2, 1, 3, 4], 'operation 4 (read) cannot have the result 2 in its place'],
    [[0, 4, 1, 2], 'operation 2 returned before operation 4 was called, but comes after it in the order'],
    ['0', 'order is "0", expected a list'],
    [[0, 9], 'an entry of order is 9, expected an integer from 0 to 4'],
  ])('%j', (numbers, expected) => expect(order(numbers)).toBe(expected));

  test('an order keeps the order of each process if the level is sequential', () => {
    expect(order([0, 2, 1, 4], 'sequential')).toBe('accepted');
    expect(order([0, 1, 4, 2], 'sequential')).toBe(
      'operation 2 returned to its process before operation 4 was called, but comes after it in the order',
    );
  });

  test('an order of another kind, or for another verdict, is refused', () => {
    const given = { kind: 'operation-order', order: [0, 2, 1, 4] };
    expect(verifyOperations(history, REGISTER, 'linearizable', 'violated', given).ok).toBe(false);
    expect(verifyOperations(history, REGISTER, 'serial' as OperationLevel, 'satisfied', given).ok).toBe(false);
    expect(verifyOperations(history, REGISTER, 'linearizable', 'satisfied', null).ok).toBe(false);
  });
});

// A stale read: write 1, write 2, then read 1; beside it a read that is fine and a write that comes later.
const stale = makeHistory([
  op(0, 'write', 1, 0, 1),
  op(0, 'write', 2, 2, 3),
  op(1, 'read', 2, 4, 5),
  op(1, 'read', 1, 6, 7),
  op(2, 'write', 1, 8, 9),
]);
const part = (given: object, level: OperationLevel = 'linearizable', limit?: number): string => {
  const certificate = { kind: 'operation-part', kept: [0, 1, 3], relaxed: [], until: 7, ...given };
  const found = verifyOperations(
    stale,
    REGISTER,
    level,
    'violated',
    certificate,
    ...(limit === undefined ? [] : [limit]),
  );
  return found.ok ? 'accepted' : found.problem;
};

describe('a part without an order', () => {
  test.each<[object, string]>([
    [{}, 'accepted'],
    [{ kept: [1, 3], relaxed: [0] }, 'the part has an order that the model allows'],
    [{ kept: [0, 3], relaxed: [1] }, 'the part has an order that the model allows'],
    [{ kept: [1, 3] }, 'operation 0 is left out, although it may change the object'],
    [{ until: null }, 'operation 4 is left out, although it may change the object'],
    [{ until: null, kept: [0, 1, 3, 4] }, 'accepted'],
    [{ until: null, kept: [0, 1, 3], relaxed: [4] }, 'accepted'],
    [{ until: 6 }, 'operation 3 is kept, but did not return by then'],
    [{ kept: [0, 1, 2], until: 6 }, 'the part has an order that the model allows'],
    [{ relaxed: [4] }, 'operation 4 was called after until'],
    [{ relaxed: [0] }, 'the part lists an operation twice'],
    [{ until: 'now' }, 'until is "now", expected a time or null'],
    [{ kept: null }, 'kept is null, expected a list'],
  ])('%j', (given, expected) => expect(part(given)).toBe(expected));

  test('a part without an order has no time limit at a level without real time', () => {
    expect(part({}, 'sequential')).toBe('until is not null, but no history is cut at this level');
    expect(part({ until: null, kept: [0, 1, 2, 3, 4] }, 'sequential')).toBe(
      'the part has an order that the model allows',
    );
  });

  test('a part without an order may be too large for a search of all orders', () => {
    expect(part({}, 'linearizable', 5)).toBe('the part is too large to verify in 5 steps');
  });
});
