import { expect, test } from 'vitest';
import { check, open, story } from '../src/index.ts';

const MS = 1e6;

/** Transactions of 4 ms, one after another; those between 400 and 600 ms take 40 ms, and every second one aborts. */
function recorded(times: 'nanoseconds' | 'events', until = 1000): string {
  const lines = [
    `{"isolab":"history","version":2,"initial":0,"times":"${times}"}`,
    `{"isolab":"fault","id":1,"kind":"delay","node":0,"delayMs":30,"begin":${410 * MS},"end":${590 * MS}}`,
  ];
  let last = 0;
  for (let at = 10, i = 1; at < until; i++) {
    const isSlow = at >= 400 && at < 600;
    const status = isSlow && i % 2 === 0 ? 'aborted' : 'committed';
    const end = at + (isSlow ? 40 : 4);
    lines.push(
      JSON.stringify({
        session: 0,
        begin: at * MS,
        end: end * MS,
        status,
        ops: [
          ['r', 'x', last],
          ['w', 'x', i],
        ],
      }),
    );
    if (status === 'committed') last = i;
    at = end;
  }
  return lines.join('\n');
}

async function courseIn(text: string) {
  const opened = await open({ text });
  return (await story(opened, await check(opened, { level: 'serializable' })))!.course;
}

test('a story states throughput, aborts and latency of the whole history, and when faults struck', async () => {
  const course = (await courseIn(recorded('nanoseconds')))!;
  const { slotMs, committed, aborted, medianMs, slowMs, faults } = course;
  expect(faults).toEqual([{ text: 'packets to and from node 0 were delayed by 30 ms', beginMs: 400, endMs: 580 }]);
  const during = (slot: number): boolean => slot * slotMs > 440 && (slot + 1) * slotMs < 570;
  const [inside, outside] = [
    committed.map((_, i) => i).filter(during),
    committed.map((_, i) => i).filter((i) => i < 20),
  ];
  expect(inside.length).toBeGreaterThan(3);
  for (const i of outside) {
    expect(committed[i]).toBeGreaterThan(150);
    expect([aborted[i], medianMs[i], slowMs[i]]).toEqual([0, 4, 4]);
  }
  for (const i of inside) expect(committed[i]).toBeLessThan(100);
  expect(Math.max(...inside.map((i) => aborted[i]!))).toBeGreaterThan(0);
  for (const i of inside) expect([40, null]).toContain(medianMs[i]);
  const total = [...committed, ...aborted].reduce((sum, each) => sum + (each * slotMs) / 1000, 0);
  expect(Math.round(total)).toBe(recorded('nanoseconds').split('\n').length - 2);
});

test.each([
  ['logical times', recorded('events')],
  ['few transactions', recorded('nanoseconds', 300)],
])('a story has no course with %s', async (_, text) => expect(await courseIn(text)).toBeUndefined());
