import { expect, test } from 'vitest';
import { EXAMPLES, START_EXAMPLES } from '../src/examples/examples.ts';
import { levelLines } from '../src/start.ts';
import { check } from '../src/worker/check.ts';
import { brief, tell } from '../src/worker/tell.ts';
import { LOST_UPDATE, checkOf, givenOf } from './support.ts';

test('the lines of levels have neither names nor a line for an empty group', () => {
  expect(levelLines({ kept: 'atomicity (read-atomic)', notKept: null })).toBe('Kept: atomicity.');
  expect(levelLines({ kept: 'one', notKept: 'other (more)' })).toBe('Not kept: other.\nKept: one.');
  expect(levelLines({ kept: null, notKept: null })).toBe('');
});

test('the start page offers some of the examples', () => {
  expect(START_EXAMPLES.length).toBeGreaterThan(1);
  expect(START_EXAMPLES.length).toBeLessThan(EXAMPLES.length);
});

test('a brief has a picture for each width, and the full story draws no brief', async () => {
  const files = [new File([LOST_UPDATE], 'the text')];
  const checked = await check(checkOf(givenOf(files, 'auto'), { level: 'all' }), () => {});
  const briefed = await brief(checked, 'snapshot-isolation', () => {});
  const { wide, narrow } = briefed.brief!.picture;
  expect(briefed.brief!.title).toBe('Lost update');
  expect([wide, narrow].map((picture) => /^<svg [^>]*width="(\d+)/.test(picture))).toEqual([true, true]);
  expect(wide).not.toBe(narrow);
  expect(await tell(checked, 'snapshot-isolation', () => {})).not.toHaveProperty('brief');
});
