import { LEVELS } from '@isolab/contract';
import { arbitraryHistory } from '@isolab/testkit';
import fc from 'fast-check';
import { check, open, verify } from 'isolab';
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type WatchFolder, type WatchOptions, watchFolder } from '../src/index.ts';
import { linesOf } from './lines.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolab-watch-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const OPTIONS: Omit<WatchOptions, 'log' | 'alarmFolder' | 'levels'> = {
  name: 'a stream',
  horizon: { transactions: 100, ms: Infinity },
  timeMs: 10_000,
  values: 'auto',
  mostReopened: Infinity,
  batch: { transactions: 1, ms: Infinity },
};

const LOST_UPDATE = [
  '{"isolab":"history","version":1,"initial":0}',
  '{"session":1,"ops":[["r","x",0],["w","x",1]]}',
  '{"session":2,"ops":[["r","x",0],["w","x",2]]}',
];

const take = (watched: WatchFolder, lines: readonly string[]): void =>
  watched.watcher.take(Buffer.from(lines.map((line) => `${line}\n`).join('')));

describe('whoever is killed', () => {
  test('goes on where it was, and comes to the verdict of the whole history', { timeout: 120_000 }, async () => {
    const drawn = fc.record({
      history: arbitraryHistory({ transactions: 10, aborted: true, unknown: true, times: true }),
      level: fc.constantFrom(...LEVELS.map(({ name }) => name).filter((name) => !/linear|cut/.test(name))),
      steps: fc.array(fc.constantFrom('judge', 'save', 'kill', 'take', 'take'), { minLength: 40, maxLength: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ history, level, steps }) => {
        const { levels } = await check(history, { level, checker: 'weave', allowVacuous: true });
        fc.pre(levels[level] !== 'unknown');
        rmSync(folder, { recursive: true, force: true });
        const lines = await linesOf(history);
        const options = { ...OPTIONS, levels: [level] };
        let watched = await watchFolder(folder, options);
        for (const step of steps) {
          if (step === 'judge') await watched.watcher.judge();
          else if (step === 'save') {
            await watched.watcher.judge();
            await watched.save();
          } else if (step === 'kill') watched = await watchFolder(folder, options);
          else take(watched, lines.slice(watched.watcher.line, watched.watcher.line + 1));
        }
        take(watched, lines.slice(watched.watcher.line));
        const status = await watched.watcher.finish();
        watched.close();
        expect(status.levels[level]).toBe(levels[level] === 'violated' ? 'violated' : 'stands');
        expect(status.transactions).toBe(lines.length - 1);
      }),
      { numRuns: 100 },
    );
  });

  test('leaves half a line, which is passed over', async () => {
    const options = { ...OPTIONS, levels: ['serializable'] as const };
    const before = await watchFolder(folder, options);
    take(before, LOST_UPDATE.slice(0, 2));
    await before.watcher.judge();
    const [segment] = readdirSync(join(folder, 'log'));
    appendFileSync(join(folder, 'log', segment!), '{"session":2,"ops":[["r","x"');
    const after = await watchFolder(folder, options);
    expect(after.lines).toBe(2);
    take(after, LOST_UPDATE.slice(2));
    expect(await after.watcher.finish()).toMatchObject({ levels: { serializable: 'violated' }, transactions: 2 });
  });

  test('is not taken for another watch', async () => {
    const before = await watchFolder(folder, { ...OPTIONS, levels: ['serializable'] });
    take(before, LOST_UPDATE.slice(0, 2));
    await before.watcher.judge();
    await before.save();
    await expect(watchFolder(folder, { ...OPTIONS, levels: ['causal'] })).rejects.toThrow(
      'The levels serializable were watched before, found causal; watch the same, or in another folder.',
    );
  });
});

test('an alarm has a history, a certificate that it violates the level, and a story', async () => {
  const { watcher } = await watchFolder(folder, { ...OPTIONS, levels: ['serializable'] });
  watcher.take(Buffer.from(LOST_UPDATE.map((line) => `${line}\n`).join('')));
  const { alarms } = await watcher.judge();
  expect(alarms).toMatchObject([{ number: 1, level: 'serializable', anomalies: ['lost-update'], line: 3 }]);
  const { history, certificate, story } = alarms[0]!.files!;
  const opened = await open(history);
  expect(verify(opened, JSON.parse(readFileSync(certificate, 'utf8')))).toMatchObject({ ok: true });
  expect(readFileSync(story, 'utf8')).toContain(alarms[0]!.sentence);
});
