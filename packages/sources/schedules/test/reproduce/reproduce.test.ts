import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type History, toPlain } from '@isolab/history';
import { parseHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { type JudgedTrial, type ReproductionOptions, type Reproduction, reproduce } from '../../src/index.ts';
import { CLAIM, type Faults, fakeDatabase, judgeAt } from './fake.ts';

const LOST_UPDATE = parseHistory('r(x,0) w(x,1)\nr(x,0) w(x,2)');
const WRITE_SKEW = parseHistory('r(x,0) w(y,1)\nr(y,0) w(x,2)');
const QUICK = { blockedMs: 20, patienceMs: 2_000 };

async function tried(
  history: History,
  faults: Faults,
  options: Partial<ReproductionOptions> = {},
): Promise<Reproduction & { readonly files: readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-reproduce-'));
  const found = await reproduce(history, {
    database: fakeDatabase(faults),
    isolation: CLAIM,
    judge: judgeAt('serializable'),
    trials: 5,
    tries: 6,
    load: 0,
    seed: 1,
    folder,
    ...QUICK,
    ...options,
  });
  return { ...found, files: readdirSync(folder).filter((name) => name.endsWith('.jsonl')) };
}

describe.each([
  ['a lost update', LOST_UPDATE],
  ['write skew', WRITE_SKEW],
])('%s', (_, history) => {
  test('the violation comes back in every trial where nothing is checked', async () => {
    const { how, tally, shown, files } = await tried(history, {});
    expect(how).toBe('plain');
    expect(tally).toEqual({ trials: 5, violated: 5, aborted: 0, held: 0, undecided: 0, asTold: 5 });
    expect(shown.trial.judged.verdict).toBe('violated');
    expect(files).toHaveLength(1); // the evidence
  });

  test('the violation is counted no further once that is enough', async () => {
    const { how, tally } = await tried(history, {}, { isEnough: (hasViolated) => hasViolated });
    expect(how).toBe('plain');
    expect(tally).toMatchObject({ trials: 1, violated: 1 });
  });

  test('the violation is tried once at least, with any goal', async () => {
    const { how, tally, tried: others } = await tried(history, { validates: true }, { isEnough: () => true });
    expect(how).toBeNull();
    expect(tally).toMatchObject({ trials: 1, violated: 0 });
    expect(others).toBe(0);
  });

  test('never comes back where commits are validated', async () => {
    const { how, tally, tried: others } = await tried(history, { validates: true });
    expect(how).toBeNull();
    expect(tally).toMatchObject({ violated: 0, aborted: 5, undecided: 0, asTold: 0 });
    expect(others).toBeGreaterThanOrEqual(6);
  });

  test('the violation is not called reproduced where every transaction fails', async () => {
    const { how, tally } = await tried(history, { refuses: true });
    expect(how).toBeNull();
    expect(tally).toMatchObject({ violated: 0, asTold: 0 });
  });
});

test('a trial continues with other terminals where a statement is blocked, and is no violation', async () => {
  const { how, tally, shown } = await tried(
    parseHistory('w(x,1) w(y,1)\nr(x,0) r(y,0)\nr(x,1) r(y,1)'),
    { locks: true },
    { trials: 2, tries: 1 },
  );
  expect(how).toBeNull();
  expect(tally).toMatchObject({ trials: 2, held: 2 });
  expect(shown.trial.observed.every(({ answered }) => answered !== null)).toBe(true);
});

test('a trial gives a deadlock up in time, without a verdict', async () => {
  const { how, tally } = await tried(LOST_UPDATE, { hangs: true }, { trials: 1, tries: 1, patienceMs: 300 });
  expect(how).toBeNull();
  expect(tally).toMatchObject({ trials: 1, undecided: 1, held: 0 });
});

test('the result says so where a violation was seen once, and never when it was counted', async () => {
  let judged = 0;
  const judge = async () => ({ verdict: ++judged === 3 ? 'violated' : 'satisfied' }) as const;
  const { how, tally, shown } = await tried(LOST_UPDATE, {}, { judge, trials: 2 });
  expect(how).toBe('once');
  expect(tally).toMatchObject({ trials: 1, violated: 1 });
  expect(shown.trial.judged.verdict).toBe('violated'); // the evidence stays
});

test('a trial without a verdict is no violation', async () => {
  const judge = async () => ({ verdict: 'unknown', why: 'no time' }) as const;
  const { how, tally } = await tried(LOST_UPDATE, {}, { judge, tries: 1, trials: 2 });
  expect(how).toBeNull();
  expect(tally).toMatchObject({ violated: 0, undecided: 2, asTold: 2 });
});

test('a trial takes other clients where no interleaving shows it alone, and says so', async () => {
  const options = { load: 5, tries: 4, trials: 3, judge: lostUpdates };
  const { how, load, tally, plain, tried: others } = await tried(LOST_UPDATE, { validatesUpTo: 3 }, options);
  expect({ how, load }).toEqual({ how: 'load', load: 5 });
  expect(plain).toMatchObject({ trials: 3, violated: 0 });
  expect(tally).toMatchObject({ trials: 3, violated: 3 });
  expect(others).toBeGreaterThan(4);
});

/** Looks for two committed transactions that read the same value of a key and then wrote it. */
async function lostUpdates(history: History): Promise<JudgedTrial> {
  const seen = new Set<string>();
  for (const { transactions } of toPlain(history).sessions)
    for (const { status, operations } of transactions) {
      const read = operations.find(({ kind }) => kind === 'read');
      const isUpdate = status === 'committed' && operations.some(({ kind }) => kind === 'write');
      if (read?.kind !== 'read' || !isUpdate) continue;
      const version = `${String(read.key)} ${String(read.value)}`;
      if (seen.has(version)) return { verdict: 'violated' };
      seen.add(version);
    }
  return { verdict: 'satisfied' };
}

test('a history without operations is refused', async () => {
  await expect(tried(parseHistory(''), {})).rejects.toThrow('nothing to reproduce');
});
