import { serialize } from 'node:v8';
import { expect, test } from 'vitest';
import checking from '../src/kernels/checking.ts';
import formats from '../src/kernels/formats.ts';
import graph from '../src/kernels/graph.ts';
import history from '../src/kernels/history.ts';
import { measure } from '../src/kernels/measure.ts';
import solver from '../src/kernels/solver.ts';

const kernels = [...formats, ...history, ...graph, ...solver, ...checking];

test.each(kernels.map((kernel) => [kernel.name, kernel] as const))('%s does the same work twice', async (_, kernel) => {
  const { run, tearDown } = await kernel.setUp(true);
  const first = await run();
  expect(first).toBeDefined();
  expect(serialize(await run()).equals(serialize(first))).toBe(true);
  await tearDown?.();
});

test('names are unique', () => {
  expect(new Set(kernels.map(({ name }) => name)).size).toBe(kernels.length);
});

test('a measurement has the statistics of its samples, and a kernel that fails says why', async () => {
  const busy = { name: 'busy', setUp: () => ({ run: () => Array.from({ length: 10_000 }, Math.sqrt) }) };
  const measured = await measure(busy, true);
  if ('reason' in measured) throw new Error(measured.reason);
  expect(measured.samples).toBeGreaterThanOrEqual(5);
  expect(measured.min).toBeLessThanOrEqual(measured.median);
  expect(measured.median).toBeLessThanOrEqual(measured.max);
  const failing = { name: 'failing', setUp: () => Promise.reject(new Error('there is no such function')) };
  expect(await measure(failing, true)).toEqual({ name: 'failing', reason: 'there is no such function' });
});
