import { afterEach, expect, test } from 'vitest';
import { entryPoint } from '../src/entry-point.ts';

const BUNDLE = Symbol.for('isolab.bundle');
const own = 'file:///packages/checkers/weave/dist/index.js';

afterEach(() => void delete (globalThis as Record<symbol, unknown>)[BUNDLE]);

test('a checker that is in the bundle of the command is loaded by the scripts there, a plug-in by the compiled ones', () => {
  const compiled = new URL('../dist/worker-main.js', import.meta.url).href;
  expect(entryPoint('worker-main', own).href).toBe(compiled);
  Object.assign(globalThis, { [BUNDLE]: { folder: '/a clone/bundle', checkers: new Set([own]) } });
  expect(entryPoint('worker-main', own).href).toBe('file:///a%20clone/bundle/worker-main.js');
  expect(entryPoint('process-main', own).href).toBe('file:///a%20clone/bundle/process-main.js');
  expect(entryPoint('worker-main', 'file:///mine.js').href).toBe(compiled);
});
