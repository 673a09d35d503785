import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rememberNight } from '../src/index.ts';
import { type Summary, summaryOf } from '../src/trials/summary.ts';
import { freshFolder, settings } from './fixture.ts';

const folder = freshFolder();
mkdirSync(folder, { recursive: true });
const memory = join(folder, 'nights');

/** Folder of a hunt that ended on a day, with an anomaly if one is given. */
function huntOn(day: number, changes: Partial<Summary>, anomaly?: string): string {
  const hunt = join(folder, `hunt-${day}`);
  mkdirSync(join(hunt, 'finding-1'), { recursive: true });
  const none = summaryOf(settings({}), { description: 'A <database>', levels: [], leftOut: [] }, [], false);
  const found = anomaly === undefined ? {} : { verdict: 'violated', violated: 1, findings: ['finding-1'] };
  const at = `2026-01-0${day}T03:00:00.000Z`;
  writeFileSync(join(hunt, 'summary.json'), JSON.stringify({ ...none, trials: 3, ...changes, ...found, at }));
  writeFileSync(join(hunt, 'finding-1/finding.json'), JSON.stringify({ anomaly, isolation: 'serializable' }));
  return hunt;
}

const GREEN = { verdict: 'satisfied', reason: null, satisfied: 3, committed: 90, aborted: 10, seconds: 9 } as const;
const badge = (nights = memory): { readonly message: string; readonly color: string } =>
  JSON.parse(readFileSync(join(nights, 'badge.json'), 'utf8')) as { message: string; color: string };

test('the memory shows green nights, new anomalies and those that are gone', async () => {
  expect(await rememberNight(memory, huntOn(1, GREEN))).toMatchObject({ fresh: [], gone: [], nights: 1 });
  expect(badge()).toMatchObject({ message: 'satisfied, 2026-01-01', color: 'brightgreen' });
  const page = readFileSync(join(memory, 'index.html'), 'utf8');
  expect(page).toContain('<h1 class="satisfied">satisfied</h1>');
  expect(page).toContain('A &lt;database&gt;, 2026-01-01 03:00: 0 of 3 histories of 90 committed transactions violate');
  const skew = 'write-skew at serializable';
  expect(await rememberNight(memory, huntOn(2, {}, 'write-skew'))).toMatchObject({ fresh: [skew], nights: 2 });
  expect(badge()).toMatchObject({ message: 'violated, 2026-01-02', color: 'red' });
  expect(await rememberNight(memory, huntOn(3, {}, 'write-skew'))).toMatchObject({ fresh: [], gone: [] });
  expect(await rememberNight(memory, huntOn(4, {}, 'lost-update'))).toMatchObject({
    fresh: ['lost-update at serializable'],
    gone: [skew],
  });
  expect(await rememberNight(memory, join(folder, 'hunt-4'))).toMatchObject({ nights: 4, gone: [skew] });
  expect(readFileSync(join(memory, 'index.html'), 'utf8').match(/<b>new<\/b>/g)).toHaveLength(2);
  expect(readFileSync(join(memory, 'badge.svg'), 'utf8')).toContain('aria-label="isolation: violated, 2026-01-04"');
});

test.each([
  ['an interrupted hunt', () => huntOn(5, { ...GREEN, verdict: 'unknown', reason: 'the hunt was interrupted' })],
  ['a hunt without conclusive histories', () => huntOn(6, { ...GREEN, satisfied: 0 })],
  ['a hunt without transactions', () => huntOn(7, { ...GREEN, committed: 0 })],
  ['a hunt that crashed', () => join(folder, 'absent')],
  [
    'a half-written summary',
    () => {
      const hunt = huntOn(8, GREEN);
      writeFileSync(join(hunt, 'summary.json'), readFileSync(join(hunt, 'summary.json'), 'utf8').slice(0, 90));
      return hunt;
    },
  ],
])('the night of %s is never green, and hides no anomaly that the night before showed', async (_, hunt) => {
  const own = freshFolder();
  await rememberNight(own, huntOn(4, {}, 'lost-update'));
  const { night, gone } = await rememberNight(own, hunt());
  expect(night.verdict).toBe('unknown');
  expect(night.reason).not.toBeNull();
  expect(gone).toEqual([]);
  expect(readFileSync(join(own, 'index.html'), 'utf8')).not.toContain(folder); // which is private
  expect(badge(own)).toMatchObject({ color: 'lightgrey' });
  expect((await rememberNight(own, huntOn(9, {}, 'lost-update'))).fresh).toEqual([]);
});

test('a damaged memory is refused with its line, and stays as it is', async () => {
  const damaged = join(folder, 'damaged');
  mkdirSync(damaged);
  writeFileSync(join(damaged, 'nights.jsonl'), '{"at":"2026"}\n');
  await expect(rememberNight(damaged, huntOn(9, GREEN))).rejects.toThrow('nights.jsonl, line 1 is no night');
  expect(readFileSync(join(damaged, 'nights.jsonl'), 'utf8')).toBe('{"at":"2026"}\n');
});
