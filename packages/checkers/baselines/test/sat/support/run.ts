import type { RunContext } from '@isolab/contract';
import { type History, type PolygraphInput, buildReadFrom, findInternalAnomalies } from '@isolab/history';
import { baselinesSat } from '../../../src/sat/index.ts';
import type { SatOptions } from '../../../src/sat/baselines-sat.ts';

export const DEFAULTS = Object.fromEntries(
  Object.entries(baselinesSat.info.options).map(([name, spec]) => [name, spec.default]),
) as unknown as SatOptions & { readonly encoding: 'auto' };

export const CONTEXT: RunContext = {
  certify: true,
  findAll: false,
  stage() {},
  count() {},
  progress() {},
  tick() {},
};

export function inputOf(history: History) {
  const index = buildReadFrom(history);
  return { kind: 'history' as const, history, index, internal: findInternalAnomalies(history, index) };
}

export const polygraph = (nodes: number, edges: readonly number[], constraints: readonly number[]): PolygraphInput => ({
  name: '',
  nodes,
  edges: Int32Array.from(edges),
  constraints: Int32Array.from(constraints),
});

/** Reads the format of CobraSAT. */
export function parsePolygraph(text: string): PolygraphInput {
  const numbers = (start: string): number[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith(start))
      .flatMap((line) => line.match(/\d+/g)!.map(Number));
  return polygraph(numbers('n:')[0]!, numbers('e:'), numbers('c:'));
}
