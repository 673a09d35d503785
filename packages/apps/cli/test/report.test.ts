import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { experiment, laboratory, row } from './support/figures-lab.ts';
import { isolab } from './support/isolab.ts';

const OWN_RUN = {
  machine: 'mine',
  node: 'v24',
  commit: 'd',
  scale: 'ci',
  at: '2026-02-01T00:00:00.000Z',
  load: 1,
};

test('isolab bench report writes pages, and says where the figure is that was measured last', async () => {
  const root = laboratory();
  const { code, out } = await isolab('bench', 'report', '--root', root, '--skip', 'png');
  expect(code).toBe(0);
  const [pages, last] = out.split('\n');
  expect(pages).toContain(`${join(root, 'reports/local/ci/index.html')}: 3 experiments, 3 results, `);
  expect(last).toBe(`${join(root, 'reports/local/ci/mine/fig1.html')}: measured last`);
  expect(readFileSync(last!.split(': ')[0]!, 'utf8')).toContain('Time of fig1');
  expect(existsSync(join(root, 'reports/ci'))).toBe(false);
});

test('--publish writes the pages that the repository keeps, of its own results alone', async () => {
  const root = laboratory();
  mkdirSync(join(root, 'reports/local/results'), { recursive: true });
  const own = { ...row('mine/fig1', 1), wallMs: 77, run: { ...OWN_RUN } };
  writeFileSync(join(root, 'reports/local/results/ci.jsonl'), `${JSON.stringify(own)}\n`);
  const { code, out } = await isolab('bench', 'report', '--publish', '--root', root, '--skip', 'png');
  expect(code).toBe(0);
  expect(out).toContain(`${join(root, 'reports/ci/index.html')}: 3 experiments, 3 results, `);
  const page = readFileSync(join(root, 'reports/ci/mine/fig1.html'), 'utf8');
  expect(page).not.toContain('0.077 s');
  expect(page).not.toContain('your own');
  expect(existsSync(join(root, 'reports/local/ci'))).toBe(false);
});

test('isolab bench report shows results of one’s own over those of the repository, and says so', async () => {
  const root = laboratory();
  mkdirSync(join(root, 'reports/local/results'), { recursive: true });
  const own = { ...row('mine/fig1', 1), wallMs: 770, run: { ...OWN_RUN } };
  writeFileSync(join(root, 'reports/local/results/ci.jsonl'), `${JSON.stringify(own)}\n`);
  const { out } = await isolab('bench', 'report', '--root', root, '--skip', 'png');
  expect(out).toContain('3 experiments, 3 results, 1 of them your own');
  const read = (page: string): string => readFileSync(join(root, 'reports/local/ci', page), 'utf8');
  const whose =
    '1 result is your own, in place of the repository’s results at the same points; all other results come with the repository.';
  for (const page of ['mine/fig1.html', 'index.html', 'summary.html', 'summary.md', 'leaderboard.html'])
    expect(read(page)).toContain(whose);
  expect(read('mine/tab1.html')).toContain('None of the results is your own');
  // At 1 both were measured, at 2 the repository's alone.
  expect(read('mine/fig1.html')).toMatch(
    /<td><b>1<\/b><\/td><td>weave<\/td><td class="number">0.77 s<\/td><td class="number">0.01 s<\/td><td class="number">77×/,
  );
  expect(read('mine/fig1.html').match(/<td class="number">77×|<td class="number">\d+×/g)).toHaveLength(1);
});

test('only the pages of named outputs are written, and their paths are reported', async () => {
  const root = laboratory();
  writeFileSync(join(root, 'own.json'), JSON.stringify(experiment('own', { id: 'own' })));
  const pages = join(root, 'reports/local/ci');
  const one = await isolab('bench', 'report', 'mine/fig1', '--root', root, '--skip', 'png');
  expect(one).toMatchObject({ code: 0, out: `${join(pages, 'mine/fig1.html')}: Time of fig1`, err: '' });
  expect(readdirSync(pages)).toEqual(['mine']);
  expect(readdirSync(join(pages, 'mine')).toSorted()).toEqual(['fig1.csv', 'fig1.html', 'fig1.md', 'fig1.svg']);
  expect(readFileSync(join(pages, 'mine/fig1.html'), 'utf8')).not.toContain('index.html');

  const more = await isolab('bench', 'report', 'mine/', join(root, 'own.json'), '--root', root, '--skip', 'png');
  expect(more.out.split('\n')).toEqual([
    `${join(pages, 'mine.html')}: 3 experiments`,
    `${join(pages, 'files/own.html')}: Time of own`,
  ]);
  expect(more.err).toBe(`No results yet: isolab bench ${join(root, 'own.json')} --scale ci`);
  const again = `isolab bench ${join(root, 'own.json')} --scale ci &amp;&amp; isolab bench report ${join(root, 'own.json')}`;
  expect(readFileSync(join(pages, 'files/own.html'), 'utf8')).toContain(again);
  expect(readFileSync(join(pages, 'mine.html'), 'utf8')).toContain('href="mine/fig1.html"');

  // With a page of everything there is a way to it.
  await isolab('bench', 'report', '--root', root, '--skip', 'png');
  const json = await isolab('bench', 'report', 'mine/fig1', '--root', root, '--skip', 'png', '--output', 'json');
  expect(JSON.parse(json.out)).toMatchObject({ folder: pages, pages: [join(pages, 'mine/fig1.html')], files: 4 });
  expect(readFileSync(join(pages, 'mine/fig1.html'), 'utf8')).toContain('href="../index.html"');
});

test('isolab bench report exports a figure by the ending of the file, and replaces it only with --force', async () => {
  const root = laboratory();
  const file = join(root, 'out', 'figure.pdf');
  const exported = (...more: readonly string[]): ReturnType<typeof isolab> =>
    isolab('bench', 'report', 'mine/fig1', '--root', root, '--out', file, ...more);
  expect((await exported()).code).toBe(0);
  expect(readFileSync(file, 'latin1')).toMatch(/\/MediaBox \[0 0 241 /);
  expect(await exported()).toMatchObject({ code: 3, err: expect.stringContaining('--force replaces it') });
  expect((await exported('--width', '506', '--force')).code).toBe(0);
  expect(readFileSync(file, 'latin1')).toMatch(/\/MediaBox \[0 0 506 /);
});

test('isolab bench report writes the existing figures of several, names the others, and exits with 2', async () => {
  const root = laboratory();
  const { code, out, err } = await isolab(
    'bench',
    'report',
    'mine',
    '--root',
    root,
    '--out',
    join(root, 'out'),
    '--to',
    'svg',
  );
  expect(code).toBe(2);
  expect(out).toContain('mine-fig1.svg: Time of fig1');
  expect(err).toContain('mine/fig2 has no results at scale ci; measure them with isolab bench mine/fig2 --scale ci.');
  expect(err).toContain('mine/tab1 is a table; --to csv and --to md write its values.');
  expect(readdirSync(join(root, 'out'))).toEqual(['mine-fig1.svg']);
});

test.each([
  [['mine/fig3'], 'There is no experiment mine/fig3; did you mean mine/fig1? isolab list experiments lists them.'],
  [['mine/fig1', '--to', 'svgg'], 'There is no format svgg; did you mean svg? --to accepts pdf, svg, png, csv, md.'],
  [['mine/fig1', '--to', 'pfd'], 'There is no format pfd; did you mean pdf? --to accepts pdf, svg, png, csv, md.'],
  [['none.json'], 'none.json: no such file'],
  [['mine/fig1', '--width', '20'], '--width applies to figures in files; add --to pdf.'],
  [['mine/fig1', '--publish'], '--publish writes the pages in the repository, which cover all experiments'],
  [
    ['mine/fig2', '--to', 'pdf'],
    'mine/fig2 has no results at scale ci; measure them with isolab bench mine/fig2 --scale ci.',
  ],
  [['mine/tab1', '--to', 'pdf'], 'mine/tab1 is a table; --to csv and --to md write its values.'],
  [['mine', '--out', 'one.pdf'], '3 figures do not fit in one file; expected --out FOLDER, not one.pdf.'],
  [['mine/fig1', '--out', 'nowhere/'], 'There is no folder '],
  [['mine/fig1', '--out', 'nowhere', '--to', 'svg'], 'There is no folder '],
  [['mine/fig1', '--to', 'pdf', '--width', '20'], '--width must be at least 180 points, not 20.'],
  [
    ['--to', 'pdf'],
    'Missing the names of figures. Example: isolab bench report polysi/fig7a --to pdf. isolab list experiments lists all names.',
  ],
])('report %j is a wrong call', async (words, message) => {
  const { code, err } = await isolab('bench', 'report', ...words, '--root', laboratory());
  expect(code).toBe(3);
  expect(err).toContain(`isolab: ${message}`);
});
