import { describe, expect, test } from 'vitest';
import { type JepsenEvent, type Value, operationsOf, pairsOf } from '../src/index.ts';

const events = (...lines: readonly [Value, JepsenEvent['type'], string, Value?, string?][]): JepsenEvent[] =>
  lines.map(([process, type, f, value = null, error], index) => ({
    index,
    type,
    f,
    value,
    process,
    time: null,
    line: index + 1,
    fields: new Map<string, Value>(error === undefined ? [] : [['error', error]]),
  }));

describe('events become operations', () => {
  test('ok returns, info and a missing completion are pending, a failed operation is left out', () => {
    const { operations, numFailed } = operationsOf(
      events(
        [0, 'invoke', 'write', 1],
        [1, 'invoke', 'read'],
        [0, 'ok', 'write', 1],
        [1, 'ok', 'read', 1],
        [0, 'invoke', 'write', 2],
        [0, 'info', 'write', 2],
        [1, 'invoke', 'cas', [1, 2]],
        [1, 'fail', 'cas', [1, 2]],
        [':nemesis', 'info', 'kill'],
        [2, 'invoke', 'read'],
      ),
    );
    expect(numFailed).toBe(1);
    expect(
      operations.map(({ process, f, result, call, return: returned }) => [process, f, result, call, returned]),
    ).toEqual([
      [0, 'write', 1, 0, 2],
      [1, 'read', 1, 1, 3],
      [0, 'write', undefined, 4, null],
      [2, 'read', undefined, 9, null],
    ]);
  });

  test('a failure is a result only if its function allows it and no reason is given', () => {
    const failing = events([0, 'invoke', 'cas', [1, 2]], [0, 'fail', 'cas', [1, 2]]);
    const refused = events([0, 'invoke', 'cas', [1, 2]], [0, 'fail', 'cas', [1, 2], ':timeout']);
    expect(operationsOf(failing, ['cas']).operations[0]!.result).toBe(false);
    expect(operationsOf(failing).operations).toEqual([]);
    expect(operationsOf(refused, ['cas']).operations).toEqual([]);
  });

  test.each<[string, JepsenEvent[], string]>([
    [
      'two invocations',
      events([0, 'invoke', 'read'], [0, 'invoke', 'read']),
      'line 2: found an invocation of read, expected the completion of the operation that process 0 invoked on line 1',
    ],
    ['a completion alone', events([0, 'ok', 'read']), 'line 1: found read of type ok, expected invoke'],
    [
      'another function',
      events([0, 'invoke', 'read'], [0, 'ok', 'write']),
      'line 2: found a completion of write, expected a completion of read',
    ],
    ['no processes', events([null, 'invoke', 'read'], [null, 'invoke', 'read']), 'or a process in every event'],
  ])('%s', (_, given, message) => {
    expect(() => pairsOf(given)).toThrow(message);
  });
});
