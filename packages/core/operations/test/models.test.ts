import { describe, expect, test } from 'vitest';
import {
  IMPOSSIBLE,
  MODELS,
  Machine,
  ModelError,
  type Operation,
  OperationError,
  type SequentialModel,
  type Value,
  asModel,
  defineModel,
  findModel,
  keyed,
  makeHistory,
  textOf,
} from '../src/index.ts';

/** `f argument -> result` one after the other; a result of `?` is that of a pending operation. */
function run(model: SequentialModel, calls: readonly (readonly [string, Value?, Value?])[]): string {
  const operations = calls.map(([f, argument = null, result = null], i): Operation => ({
    process: i,
    f,
    argument,
    result: result === '?' ? undefined : result,
    call: 2 * i,
    return: result === '?' ? null : 2 * i + 1,
  }));
  const machine = new Machine(model, makeHistory(operations));
  let state = machine.initial;
  for (const [i, operation] of operations.entries()) {
    state = machine.step(state, machine.classOf[i]!);
    if (state === IMPOSSIBLE) return `impossible: ${operation.f} ${i}`;
  }
  return machine.show(state);
}

describe('the built-in models', () => {
  test.each<[string, (readonly [string, Value?, Value?])[], string]>([
    [
      'register',
      [
        ['read', null, null],
        ['write', 1],
        ['read', null, 1],
      ],
      '1',
    ],
    [
      'register',
      [
        ['write', 1],
        ['read', null, null],
      ],
      'impossible: read 1',
    ],
    [
      'cas-register',
      [
        ['write', 1],
        ['cas', [1, 2], true],
        ['cas', [1, 3], false],
        ['read', null, 2],
      ],
      '2',
    ],
    [
      'cas-register',
      [
        ['write', 1],
        ['cas', [2, 3], true],
      ],
      'impossible: cas 1',
    ],
    [
      'cas-register',
      [
        ['write', 1],
        ['cas', [1, 3], false],
      ],
      'impossible: cas 1',
    ],
    [
      'cas-register',
      [
        ['write', 1],
        ['cas', [2, 3], '?'],
      ],
      '1',
    ],
    ['mutex', [['acquire'], ['release'], ['acquire']], 'held'],
    ['mutex', [['acquire'], ['acquire']], 'impossible: acquire 1'],
    ['mutex', [['release']], 'impossible: release 0'],
    [
      'fifo-queue',
      [
        ['enqueue', 1],
        ['enqueue', 2],
        ['dequeue', null, 1],
      ],
      '[2]',
    ],
    [
      'fifo-queue',
      [
        ['enqueue', 1],
        ['enqueue', 2],
        ['dequeue', null, 2],
      ],
      'impossible: dequeue 2',
    ],
    [
      'fifo-queue',
      [
        ['dequeue', null, null],
        ['enqueue', 1],
        ['dequeue', null, null],
      ],
      'impossible: dequeue 2',
    ],
    [
      'queue',
      [
        ['enqueue', 1],
        ['dequeue', null, '?'],
        ['dequeue', null, null],
      ],
      '[]',
    ],
    [
      'unordered-queue',
      [
        ['enqueue', 1],
        ['enqueue', 2],
        ['dequeue', null, 2],
        ['dequeue', null, 1],
      ],
      '[]',
    ],
    [
      'unordered-queue',
      [
        ['enqueue', 1],
        ['enqueue', 2],
        ['dequeue', null, '?'],
      ],
      '[1] or [2]',
    ],
    [
      'unordered-queue',
      [
        ['enqueue', 1],
        ['dequeue', null, 1],
        ['dequeue', null, 1],
      ],
      'impossible: dequeue 2',
    ],
    [
      'stack',
      [
        ['push', 1],
        ['push', 2],
        ['pop', null, 2],
        ['pop', null, 1],
        ['pop', null, null],
      ],
      '[]',
    ],
    [
      'stack',
      [
        ['push', 1],
        ['push', 2],
        ['pop', null, 1],
      ],
      'impossible: pop 2',
    ],
    [
      'set',
      [
        ['add', 1],
        ['add', 2],
        ['remove', 1],
        ['read', null, [2]],
      ],
      '{2}',
    ],
    [
      'set',
      [
        ['add', 1],
        ['read', null, new Set([1, 2])],
      ],
      'impossible: read 1',
    ],
    ['counter', [['add', 3], ['inc'], ['dec'], ['dec'], ['read', null, 2]], '2'],
    [
      'counter',
      [
        ['add', 3],
        ['read', null, 4],
      ],
      'impossible: read 1',
    ],
    [
      'map',
      [
        ['put', ['x', 1]],
        ['get', 'x', 1],
        ['append', ['x', 'a']],
        ['get', 'x', '1a'],
      ],
      '"1a"',
    ],
    [
      'multi-register',
      [
        [
          'txn',
          [
            ['w', 'x', 1],
            ['r', 'y', null],
          ],
        ],
        ['txn', [['r', 'x', null]], [['r', 'x', 1]]],
      ],
      '{"x": 1}',
    ],
    [
      'multi-register',
      [
        ['txn', [['w', 'x', 1]]],
        ['txn', [['r', 'x', null]], [['r', 'x', 2]]],
      ],
      'impossible: txn 1',
    ],
  ])('%s: %j', (name, calls, expected) => {
    expect(run(findModel(name)!, calls)).toBe(expected);
  });

  test('a read of nil shows nothing if nil means unknown', () => {
    const calls: [string, Value?, Value?][] = [
      ['write', 1],
      ['read', null, null],
    ];
    expect(run(findModel('register', { nilIsUnknown: true })!, calls)).toBe('1');
    expect(run(findModel('register', { initial: 7 })!, [['read', null, 7]])).toBe('7');
  });

  test('many objects of one model have a state by key', () => {
    const calls: [string, Value?, Value?][] = [['write', ['x', 1], ['x', 1]]];
    const operation: Operation = { process: 0, f: 'write', argument: ['x', 1], result: ['x', 1], call: 0, return: 1 };
    const model = keyed(findModel('register')!);
    expect(model.partition!(operation)).toBe('x');
    expect(run(model, calls)).toBe('1');
  });

  test('every model names its operations', () => {
    for (const name of Object.keys(MODELS)) expect(findModel(name)!.functions!.length).toBeGreaterThan(0);
    expect(findModel('regster')).toBeNull();
    expect(() => findModel('mutex', { initial: 1 })).toThrow('mutex has a fixed initial state');
  });
});

describe('a mistake in a model or its input is reported', () => {
  const good = { name: 'own', initial: 0 };

  test.each<[unknown, string]>([
    [undefined, 'mine.mjs: found no object as the default export'],
    [{ initial: 0, step: () => 0 }, 'found no name'],
    [{ name: 'own', step: () => 0 }, 'found no initial state'],
    [good, 'expected one of step(state, operation) and steps(state, operation)'],
    [{ ...good, step: () => 0, partition: 3 }, 'found number as partition, expected a function'],
    [{ ...good, step: () => 0, functions: 'read' }, 'expected functions to be an array of names'],
  ])('%j', (given, message) => {
    expect(() => asModel(given, 'mine.mjs')).toThrow(message);
  });

  test('a step that throws, modifies its state, or returns a value that is not plain', () => {
    const stepping = (step: (state: number[]) => number[]): SequentialModel =>
      defineModel<number[]>({ name: 'own', initial: [], step });
    const fails = (model: SequentialModel, message: string): void => {
      expect(() => run(model, [['f', 3]])).toThrow(ModelError);
      expect(() => run(model, [['f', 3]])).toThrow(message);
    };
    fails(
      stepping(() => {
        throw new Error('oops');
      }),
      'own: step failed at f 3 → nil: oops',
    );
    fails(
      stepping((state) => {
        state.push(1);
        return state;
      }),
      'own: f 3 → nil changed the state that it was given',
    );
    fails(
      stepping(() => [(() => 0) as unknown as number]),
      'own: a state cannot be compared: a function is not a plain value',
    );
    fails({ ...stepping((state) => [...state, 1]), isRead: () => true }, ', but it changes the state');
  });

  test('an operation that the model does not have', () => {
    expect(() => run(findModel('mutex')!, [['read']])).toThrow(OperationError);
    expect(() => run(findModel('mutex')!, [['read']])).toThrow(
      'found the operation read, expected one of mutex: acquire, release',
    );
    expect(() => run(findModel('cas-register')!, [['cas', 3]])).toThrow('expected two values as the argument of cas');
  });

  test.each<[string, Partial<Operation>[], string]>([
    ['a return before the call', [{ call: 3, return: 2 }], 'found a return at 2, before the call at 3'],
    [
      'two at once',
      [
        { call: 1, return: 5 },
        { call: 3, return: 4 },
      ],
      'while process 0 had called at 1 and returned at 5',
    ],
    [
      'no time between two',
      [
        { call: 1, return: 2 },
        { call: 2, return: 3 },
      ],
      'number the events instead',
    ],
    [
      'a pending one at the same time',
      [
        { call: 1, return: null },
        { call: 1, return: 3 },
      ],
      'returned never',
    ],
    ['no number', [{ call: Number.NaN, return: 1 }], 'found the call time NaN'],
  ])('operations with times of %s', (_, parts, message) => {
    const operation: Operation = { process: 0, f: 'read', argument: null, result: null, call: 0, return: 1 };
    expect(() => makeHistory(parts.map((part) => ({ ...operation, ...part })))).toThrow(message);
  });
});

test('values have one text exactly if they are equal', () => {
  const values: unknown[] = [
    null,
    1,
    '1',
    true,
    'true',
    [1],
    ['1'],
    [[1]],
    new Set([1]),
    new Map([[1, 2]]),
    { 1: 2 },
    undefined,
    [null],
    [],
    '',
  ];
  expect(new Set(values.map(textOf)).size).toBe(values.length);
  expect(textOf(new Set([2, 1]))).toBe(textOf(new Set([1, 2])));
  expect(textOf({ a: 1, b: [2n] })).toBe(textOf({ b: [2], a: 1 }));
  expect(
    textOf(
      new Map<unknown, unknown>([
        [[1], 2],
        ['x', 3],
      ]),
    ),
  ).toBe(
    textOf(
      new Map<unknown, unknown>([
        ['x', 3],
        [[1], 2],
      ]),
    ),
  );
  expect(() => textOf(new Date())).toThrow('an object of the class Date is not a plain value');
});
