import { findingsOf } from '@isolab/contract';
import { describe, expect, test } from 'vitest';
import { RANDOM_MODELS, modelDemands, vocabularyOf } from '@isolab/testkit';
import {
  type Operation,
  type OperationExample,
  type SequentialModel,
  checkOperations,
  defineModel,
} from '../src/objects.ts';

const findingsFor = async (model: SequentialModel) =>
  findingsOf(
    modelDemands(model, async (history, of, level) => (await checkOperations(history, of, { level })).verdict),
    () => {},
  );

/** A register of small numbers that is right. */
const right = {
  name: 'right',
  initial: 0,
  functions: ['read', 'write'],
  isRead: ({ f }: Operation) => f === 'read',
  step: (state: number, { f, argument, result }: Operation): number | undefined => {
    if (f === 'write') return argument as number;
    return result === undefined || result === state ? state : undefined;
  },
  examples: [0, 1, 2].flatMap((value): OperationExample[] => [
    { f: 'write', argument: value },
    { f: 'read', result: value },
  ]),
};

describe('the suite of models', () => {
  test.each(RANDOM_MODELS)('the suite of models holds for %s', async (name) => {
    const { model, calls } = vocabularyOf(name);
    const examples = calls.flatMap(({ f, argument, results }) => results.map((result) => ({ f, argument, result })));
    const findings = await findingsFor({ ...model, examples });
    expect(findings.filter(({ holds }) => holds === false)).toEqual([]);
    expect(findings.length).toBeGreaterThan(10);
  });

  const box = (value: number): { value: number } => ({ value });
  let clock = 0;
  test.each<[string, string, Partial<SequentialModel<never>>]>([
    ['it gives examples', 'none', { examples: [] }],
    ['it gives examples', 'none of write', { examples: [{ f: 'read', result: 0 }] }],
    ['it gives examples', 'write, which is not in functions', { functions: ['read'] }],
    [
      'its states can be reached',
      'no',
      {
        step: () =>
          (() => {
            throw new Error('no');
          })(),
      },
    ],
    ['its states can be reached', 'is not a plain value', { step: (_, { argument }) => new Number(argument) as never }],
    [
      'the part that an operation touches',
      'read → unknown in the part',
      { partition: ({ f, result }) => (f === 'read' && result === undefined ? 1 : 0) },
    ],
    [
      'a step does not modify',
      ' made [] into [0]',
      {
        initial: [] as never,
        step: (state: number[], { f, argument, result }) => {
          if (f === 'write') return [argument];
          if (state.length === 0) state.push(0);
          return result === undefined || result === state[0] ? state : undefined;
        },
      } as Partial<SequentialModel<never>>,
    ],
    ['a step returns the same', 'two different answers to', { step: (() => clock++ % 4) as never }],
    [
      'a step returns the same',
      'two different answers to',
      { step: ((_: number, { process }: Operation) => process) as never },
    ],
    [
      'an operation that never returned',
      'read → 0 leads to 0',
      {
        step: ((state: number, operation: Operation) =>
          operation.result === undefined && operation.f === 'read' ? undefined : right.step(state, operation)) as never,
      },
    ],
    ['an operation that isRead accepts', 'write 1 → nil leaves 1 behind', { isRead: () => true }],
    [
      'equal states',
      'are equal, but have two hashes',
      { equal: (a: number, b: number) => a % 2 === b % 2, hash: (state: number) => state } as Partial<
        SequentialModel<never>
      >,
    ],
    [
      'equal states',
      'leads from them to different states',
      { equal: (a: number, b: number) => a % 2 === b % 2 } as Partial<SequentialModel<never>>,
    ],
    [
      'equal states',
      'in one direction only',
      { equal: (a: number, b: number) => a <= b } as Partial<SequentialModel<never>>,
    ],
    [
      'equal states',
      'are not equal, although they are the same',
      { equal: (a: unknown, b: unknown) => a === b, initial: box(0) as never, step: (() => box(1)) as never },
    ],
    ['states are shown', 'an empty text', { show: () => '' }],
  ])('%s: finds %s', async (demand, found, wrong) => {
    const findings = await findingsFor({ ...right, ...wrong } as SequentialModel);
    const failed = findings.filter(({ holds }) => holds === false);
    expect(failed.find(({ check }) => check.startsWith(demand))?.found).toContain(found);
  });

  test('the suite of models is passed by all correct models', async () => {
    const findings = await findingsFor(defineModel(right) as SequentialModel);
    expect(findings.filter(({ holds }) => holds !== true)).toEqual([]);
  });

  test('the suite of models lists properties that it cannot show', async () => {
    const findings = await findingsFor({
      ...right,
      step: (state: number, { f, argument }: Operation) => (f === 'write' ? argument : state),
      examples: [...right.examples, { f: 'read', result: 3 }],
    } as SequentialModel);
    // Every read is allowed, so no history is ever violated.
    expect(findings.filter(({ holds }) => holds === null).map(({ check }) => check.slice(0, 24))).toEqual([
      'random histories are jud',
      'random histories are jud',
    ]);
  });

  test('the suite of models notices a search that is wrong', async () => {
    const findings = await findingsOf(
      modelDemands(right as SequentialModel, async () => 'satisfied'),
      () => {},
    );
    expect(findings.filter(({ holds }) => holds === false)[0]!.found).toMatch(/^satisfied instead of violated: \d: /);
  });
});
