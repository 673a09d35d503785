import { expect, test } from 'vitest';
import { check, jsonOf, open } from '../src/index.ts';

/** Each transaction increments one of a thousand keys. */
const MEDIUM = Array.from({ length: 50_000 }, (_, t) => {
  const [key, value] = [t % 1000, Math.floor(t / 1000)];
  return `r(${key},${value},${t % 9},${t})\nw(${key},${value + 1},${t % 9},${t})\n`;
}).join('');

test('the stages of a result add up to the time of its opening and its check', async () => {
  // The part of the time that no stage names. A busy machine pauses a process between stages: one quiet run suffices.
  let missing = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 20 && missing >= 0.03; run++) {
    const begin = performance.now();
    const opened = await open({ text: MEDIUM });
    const result = await check(opened, { level: 'serializable' });
    const wallMs = performance.now() - begin;
    expect(result.verdict).toBe('satisfied');
    const { stages } = jsonOf(result);
    expect(stages.map(({ name }) => name)).toEqual(STAGES);
    missing = Math.abs(1 - stages.reduce((total, { ms }) => total + ms, 0) / wallMs);
    // A second check reads and indexes nothing again.
    const again = await check(opened, { level: 'causal' });
    expect(again.stages.slice(0, 2)).toEqual(result.stages.slice(0, 2));
  }
  expect(missing).toBeLessThan(0.03);
});

const STAGES = ['open', 'parse', 'load', 'index', 'evidence', 'construct', 'solve', 'conclude'];
