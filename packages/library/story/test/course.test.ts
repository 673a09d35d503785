import { expect, test } from 'vitest';
import { drawCourse } from '../src/draw/course.ts';

const course = {
  slotMs: 100,
  committed: [100, 0, 50],
  aborted: [0, 0, 0],
  medianMs: [2, null, 3],
  slowMs: [5, null, 9],
  faults: [
    { text: 'node <1> was cut', beginMs: -20, endMs: 150 },
    { text: 'node 2 was cut', beginMs: 250, endMs: null },
  ],
};

test('each chart has its lines within its frame, and a band for each fault', () => {
  const html = drawCourse(course);
  expect(html.match(/<figure>/g)).toHaveLength(3);
  expect(html.match(/class="band"/g)).toHaveLength(6);
  expect(html).not.toMatch(/NaN|Infinity|<1>/);
  for (const [, x, width] of html.matchAll(/class="band" x="([\d.-]+)"[^>]*width="([\d.-]+)"/g)) {
    expect(Number(x)).toBeGreaterThanOrEqual(0);
    expect(Number(x) + Number(width)).toBeLessThanOrEqual(340);
  }
  const [, latency = ''] = /class="slow" d="([^"]*)"/.exec(html)!;
  expect(latency.match(/M/g)).toHaveLength(2); // the slot without transactions interrupts the line
  expect(html).toContain('at most 100 in 0.3 s');
  expect(html).toContain('<li>0.25 s: node 2 was cut</li>');
});

test('a course without faults has no list of them, and more than twelve are counted', () => {
  expect(drawCourse({ ...course, faults: [] })).not.toContain('Faults');
  const many = Array.from({ length: 15 }, () => course.faults[1]!);
  expect(drawCourse({ ...course, faults: many })).toContain('and 3 more faults');
});
