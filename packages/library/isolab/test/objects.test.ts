import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PartCertificate } from '@isolab/operations';
import { decideOperations } from '@isolab/oracle';
import { RANDOM_MODELS, randomOperations, randomNumbers, vocabularyOf } from '@isolab/testkit';
import { drawSvg, viewHtml } from '@isolab/story';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  OPERATION_LEVELS,
  type Operation,
  type OperationHistory,
  type OperationResult,
  checkOperations,
  defineModel,
  makeHistory,
} from '../src/objects.ts';

const op = (
  process: number,
  f: string,
  argument: number | null,
  result: number | null,
  call: number,
  returned: number | null,
): Operation => ({
  process,
  f,
  argument,
  result: returned === null ? undefined : result,
  call,
  return: returned,
});

/** Zero is written, four is written while the unwritten three is read; four is read. */
const unwritten = makeHistory([
  op(0, 'write', 0, null, 0, 1),
  op(1, 'read', null, 3, 2, 4),
  op(2, 'write', 4, null, 3, 5),
  op(3, 'read', null, 4, 6, 7),
]);

/** Six writes one after another, and a read of the last but one. */
const stale = (): OperationHistory =>
  makeHistory([
    ...Array.from({ length: 6 }, (_, i) => op(0, 'write', i, null, 2 * i, 2 * i + 1)),
    op(1, 'read', null, 4, 100, 101),
  ]);

/** The smallest budget with which there is a verdict. */
async function leastSteps(check: (steps: number) => Promise<OperationResult>): Promise<number> {
  let low = 1;
  let high = 1;
  while ((await check(high)).verdict === 'unknown') high *= 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((await check(middle)).verdict === 'unknown') low = middle + 1;
    else high = middle;
  }
  return low;
}

const COUNT = Number(process.env['ISOLAB_COUNT'] ?? 150);
const SEED = Number(process.env['ISOLAB_SEED'] ?? 3);

describe.each(OPERATION_LEVELS)('verdicts at the level %s', (level) => {
  test.each(RANDOM_MODELS)('the verdicts are those of the oracle, and have verified evidence: %s', async (name) => {
    const random = randomNumbers(SEED);
    const vocabulary = vocabularyOf(name);
    const { model } = vocabulary;
    for (let run = 0; run < COUNT; run++) {
      const history = randomOperations(vocabulary, random);
      const result = await checkOperations(history, name, { level, told: true });
      if (result.reason === 'nothing-to-judge') continue;
      const expected = decideOperations(history, model, level) ? 'satisfied' : 'violated';
      expect({ history, verdict: result.verdict }).toEqual({ history, verdict: expected });
      expect(result.certificate?.kind).toBe(result.verdict === 'satisfied' ? 'operation-order' : 'operation-part');
    }
  });
});

describe('a violation', () => {
  test('a violation is explained by the smallest part, with the longest order of it', async () => {
    const result = await checkOperations(unwritten, 'register', { level: 'linearizable', told: true });
    expect(result.certificate).toEqual({ kind: 'operation-part', kept: [1], relaxed: [0, 2], until: 4 });
    expect(result.summary).toBe(
      'At first the register is nil, and read → 3 of process 1 would have to come next, which a register does not allow.',
    );
    expect(drawSvg(result.story!)).toContain('read → 3');
    expect(viewHtml(result.story!)).toContain('Not linearizable');
  });

  test('a violation by a single operation is explained in the singular', async () => {
    const read = makeHistory([op(0, 'read', null, 3, 0, 1)]);
    const { story } = await checkOperations(read, 'register', { level: 'linearizable', told: true });
    expect(story!.prose.map(({ text }) => text)).toContain(
      'No other order of the operation shown gets further; all orders were tried.',
    );
  });

  test('a violation is shrunk within the limits of the check', async () => {
    const linearizable = { level: 'linearizable' } as const;
    const whole = await checkOperations(stale(), 'register', linearizable);
    expect(whole.stopped).toBeNull();
    expect(whole.certificate).toMatchObject({ kept: [4, 5, 6] });
    // The search for the verdict spends nearly all of these steps; there are too few for one smaller search more.
    const steps = await leastSteps((budget) =>
      checkOperations(stale(), 'register', { ...linearizable, steps: budget }),
    );
    const least = await checkOperations(stale(), 'register', { ...linearizable, steps });
    expect(least).toMatchObject({ verdict: 'violated', stopped: 'the budget of steps is spent', uncertified: null });
    expect((least.certificate as PartCertificate).kept.length).toBeGreaterThan(3);
    const most = await checkOperations(stale(), 'register', { ...linearizable, steps: 100 * steps });
    expect(most).toMatchObject({ stopped: null, certificate: whole.certificate });
  });

  test('a violation of an initial value is none', async () => {
    const result = await checkOperations(unwritten, 'register', { level: 'linearizable', initial: 3 });
    expect(result.verdict).toBe('violated'); // zero is there before three is read
    const read = makeHistory([op(0, 'read', null, 3, 0, 1)]);
    expect((await checkOperations(read, 'register', { level: 'linearizable', initial: 3 })).verdict).toBe('satisfied');
  });
});

test('a satisfied level is shown by an order, and the states along it', async () => {
  const history = makeHistory([op(0, 'enqueue', 1, null, 0, 3), op(1, 'dequeue', null, 1, 1, 2)]);
  const { story } = await checkOperations(history, 'fifo-queue', { level: 'linearizable', told: true });
  expect(story!.witness!.steps.map(({ text, changes }) => [text, changes[0]?.value])).toEqual([
    ['process 0: enqueue 1', '[1]'],
    ['process 1: dequeue → 1', '[]'],
  ]);
  expect(viewHtml(story!)).toContain('Linearizable');
});

describe('a missing verdict has a reason', () => {
  test('nothing returned', async () => {
    const pending = makeHistory([op(0, 'write', 1, null, 0, null)]);
    const result = await checkOperations(pending, 'register', { level: 'linearizable' });
    expect(result).toMatchObject({ verdict: 'unknown', reason: 'nothing-to-judge' });
  });

  test('a budget', async () => {
    const result = await checkOperations(hard(), 'register', { level: 'linearizable', steps: 5000 });
    expect(result).toMatchObject({ verdict: 'unknown', reason: 'steps' });
    expect(result.detail).toMatch(
      /^the budget of 5000 steps is spent; 0 of 1 parts were found linearizable, and \d+ operations/,
    );
    const timed = await checkOperations(hard(), 'register', { level: 'sequential', timeMs: 50 });
    expect(timed).toMatchObject({ verdict: 'unknown', reason: 'timeout' });
  });
});

/** Many writes at once, and reads of values that none wrote while others continue. */
const hard = (): OperationHistory =>
  makeHistory([
    ...Array.from({ length: 30 }, (_, i) => op(i, 'write', i, null, i, 100 + i)),
    op(50, 'read', null, 99, 0, 200),
  ]);

describe('a model in a file', () => {
  const fileOf = (source: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'isolab-model-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'mine.mjs');
    writeFileSync(file, source);
    return file;
  };
  const lossy = `export default {
    name: 'lossy-register',
    initial: null,
    // A write may be lost.
    steps: (state, { f, argument, result }) =>
      f === 'write' ? [state, argument] : result === undefined || result === state ? [state] : [],
  };`;
  const history = makeHistory([
    op(0, 'write', 1, null, 0, 1),
    op(0, 'write', 2, null, 2, 3),
    op(0, 'read', null, 1, 4, 5),
    op(0, 'read', null, 2, 6, 7),
  ]);

  test('a model in a file decides, and may leave its state open', async () => {
    const file = fileOf(lossy);
    const result = await checkOperations(history, file, { level: 'linearizable' });
    expect(result).toMatchObject({ model: 'lossy-register', verdict: 'violated' });
    const shorter = makeHistory(history.operations.slice(0, 3));
    expect((await checkOperations(shorter, file, { level: 'linearizable' })).verdict).toBe('satisfied');
    expect((await checkOperations(shorter, 'register', { level: 'linearizable' })).verdict).toBe('violated');
  });

  test.each<[string, string, string]>([
    ['loops for ever', `export default { name: 'loop', initial: 0, step: () => { for (;;); } };`, 'timeout'],
    ['ends its thread', `export default { name: 'exit', initial: 0, step: () => process.exit() };`, 'crashed'],
    ['throws', `export default { name: 'throws', initial: 0, step: () => { throw new Error('oops'); } };`, 'crashed'],
    [
      'draws lots',
      `export default { name: 'lots', initial: 0, step: (s) => (globalThis.n = (globalThis.n ?? 0) + 1) > 4 ? undefined : s + 1 };`,
      'certificate-refused',
    ],
  ])('a model in a file that %s gives no verdict', async (_, source, reason) => {
    const timeMs = reason === 'timeout' ? 100 : 60_000; // a busy machine pauses a thread for longer than 100 ms
    const result = await checkOperations(history, fileOf(source), { level: 'linearizable', timeMs });
    expect(result).toMatchObject({ verdict: 'unknown', reason });
  });

  test('a model in a file that is none is refused', async () => {
    const check = (source: string): Promise<unknown> =>
      checkOperations(history, fileOf(source), { level: 'linearizable' });
    await expect(check('export default 3;')).rejects.toThrow('found no object as the default export');
    await expect(check('syntax error')).rejects.toThrow('does not load');
    await expect(checkOperations(history, 'regster', { level: 'linearizable' })).rejects.toThrow(
      'There is no model regster; did you mean register',
    );
  });
});

test('a model can be given as an object', async () => {
  const parity = defineModel<number>({
    name: 'parity',
    initial: 0,
    step: (state, { f, result }) => (f === 'flip' ? 1 - state : result === state ? state : undefined),
  });
  const history = makeHistory([op(0, 'flip', null, null, 0, 1), op(0, 'read', null, 1, 2, 3)]);
  expect((await checkOperations(history, parity, { level: 'sequential' })).verdict).toBe('satisfied');
});
