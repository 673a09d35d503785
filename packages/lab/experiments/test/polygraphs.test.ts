import { loadChecker } from '@isolab/runner';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Datasets, readRows } from '../src/index.ts';
import { experimentWith, laboratory } from './support/laboratory.ts';

const folder = fileURLToPath(new URL('../../../../datasets', import.meta.url));
const load = (name: string) => loadChecker(`@isolab/${name}`, new URL(import.meta.url));

test('a polygraph is a cell: checkers that take it are verified, others and outside programs are distinguished', async () => {
  const lab = laboratory();
  const names = ['examples/polyg/choice', 'examples/polyg/cyclic'];
  await lab.run(
    experimentWith({
      x: { label: 'polygraph', scale: 'category' },
      grid: { ci: names, laptop: names, paper: names },
      history: { dataset: '$x' },
      series: ['cobra', 'mtc', 'tool:accepting'].map((checker) => ({ name: checker, checker })),
    }),
    {
      loadChecker: load,
      verify: true,
      datasets: new Datasets({ folder, cache: join(lab.folder, 'cache'), local: undefined }),
    },
  );
  const rows = readRows(lab.results);
  const said = (series: string, x: string) => {
    const { verdict, certificate, reason } = rows.find((row) => row.series === series && row.x === x)!;
    return `${verdict}, ${certificate}, ${reason}`;
  };
  expect(said('cobra', names[0]!)).toBe('satisfied, verified, null');
  expect(said('cobra', names[1]!)).toBe('violated, none, null');
  expect(said('mtc', names[0]!)).toMatch(/unsupported: mtc checks histories, but this file is a polygraph/);
  expect(said('tool:accepting', names[0]!)).toMatch(
    /unsupported: accepting checks histories, and this file is a polygraph/,
  );
});
