import { expect, test } from 'vitest';
import { overviewMarkdown, paperMarkdown, summaryMarkdown } from '../src/index.ts';
import { requiredText } from '../src/report/claim-text.ts';
import type { SeriesData } from '../src/report/data-kinds.ts';
import type { PaperClaim } from '../src/results/results.ts';
import { experiment, row } from './experiments.ts';

const faster = {
  text: 'PolySI is faster.',
  origin: 'paper',
  kind: 'faster',
  series: 'PolySI',
  than: 'dbcop',
  factor: 2,
  at: 'all',
} as const;
const ends = { text: 'dbcop ends.', origin: 'sanity', kind: 'finishes', series: 'dbcop', at: 'all' } as const;
const gpu = { text: 'The GPU.', origin: 'paper', kind: 'not-reproducible', why: 'There is none.' } as const;

const artifacts = { text: 'Artifacts at f16891b0', href: 'https://github.com/a/b/tree/f16891b0', archive: 'polysi' };
const data = new Map<string, SeriesData>([
  ['PolySI', { kind: 'paper’s own', from: [artifacts] }],
  ['dbcop', { kind: 'simulated', from: [] }],
]);
const entry = {
  experiment: experiment({ holds: [faster, ends, gpu], deviations: ['On another machine.'] }),
  rows: [row('PolySI', 5, 0.1), row('dbcop', 5, 1)],
  href: '',
  svg: '<svg/>',
  data,
};
const cites = [
  { authors: 'Kaile Huang, Si Liu', title: 'Checking [SI]', where: 'PVLDB, 2023', href: 'https://doi.org/10.1/2' },
];
const page = (more: object = {}): string =>
  paperMarkdown([{ ...entry, ...more }], {
    title: 'Checking',
    cites,
    name: 'polysi',
    scale: 'laptop',
    note: 'Made on a box.',
  });

test('the page of a paper has its citation, the data of a figure, the question and the measurement', () => {
  expect(page()).toMatchInlineSnapshot(`
    "# Checking

    Claims of the paper: ✓ 1 holds, – 1 not reproducible; our own checks: ✓ 1 holds; each claim at the largest scale that measured it: 2 at ci. The figures are of scale laptop. [All papers](summary.md)

    <details><summary>Outcomes of 1 figure</summary>

    | figure | what it shows | data | the paper | our checks |
    | --- | --- | --- | --- | --- |
    | [Figure&nbsp;6a](#fig6a) | Time by sessions | paper’s own, simulated | ✓ 1 – 1 | ✓ 1 |

    ✓ holds, ≈ direction only, ✗ fails, ? not measured, – not reproducible. A claim of a paper *holds* if the measured factor is at least 50 % of the paper’s at every point, or if the measured exponent of growth is within 0.3 of the paper’s. It holds in *direction only* if the order is the paper’s at half of the points or more, reversed at none, and the factor is smaller, if the series grows less steeply than the paper’s, or if both series fall. Otherwise it *fails*, also if the series grows more steeply than the paper’s. A ratio below 1.25, two medians whose intervals overlap, or an exponent within 0.05 of 0 is no difference. A claim is *within noise* if a run on another day may decide it otherwise: between days, times below 0.1 s differ by a factor of up to 2, longer times by 1.6, times of collecting by 3, memory by 10 MB, and shares of aborted transactions by 3 percentage points. The largest scale with measurements at half of its points or more decides a claim; other scales decide only the remaining claims.

    </details>

    <a id="fig6a"></a>

    ## Figure 6a: Time by sessions

    PolySI copes with concurrency.

    ![Figure 6a: Time by sessions. Its values are in the table below.](polysi/fig6a.svg)

    *2 runs, one a point; from the paper’s own histories and a simulated database; limits 10 s and 1,000 MB; box; measured on 2026-11-21; 2 of 2 runs began at a load above 1.5.*

    <details><summary>Claims of the paper: ✓ 1 holds, – 1 not reproducible; our own checks: ✓ 1 holds</summary>

    | | scale | whose | claim | required | measured |
    | --- | --- | --- | --- | --- | --- |
    | ✓ holds | ci | the paper | PolySI is faster. | dbcop ÷ PolySI ≥ 1, half of the paper’s factor, everywhere | at 5 10× (0.1 s and 1 s); 2× in the paper; not both measured at 15 |
    | – not reproducible | – | the paper | The GPU. |  | There is none. |
    | ✓ holds | ci | our check | dbcop ends. | dbcop has a verdict everywhere | verdicts at 5 |

    </details>

    <details><summary>Values</summary>

    | sessions | PolySI | PolySI (paper) | dbcop | dbcop (paper) | CobraSI w/ GPU (paper) |
    | --- | ---: | ---: | ---: | ---: | ---: |
    | 5 | 0.1 s | 0.61 s | 1 s | 0.26 s | 0.54 s |
    | 10 |  | 1.1 s |  | ≥ 180 s | 1.7 s |

    time (s).

    </details>

    <details><summary>Data, differences from the paper, and the command</summary>

    **Data.** The paper’s own histories ([Artifacts at f16891b0](https://github.com/a/b/tree/f16891b0)): PolySI. A simulated database: dbcop.

    - On another machine.

    \`\`\`sh
    npx isolab bench datasets get polysi
    npx isolab bench polysi/fig6a --scale laptop
    \`\`\`

    </details>

    ## To cite and to repeat

    > **To cite** if you use the polysi figures: Kaile Huang, Si Liu. *[Checking \\[SI\\]](https://doi.org/10.1/2)*. PVLDB, 2023.
    >
    > And isolab: [CITATION.cff](../../CITATION.cff).

    Made on a box.

    Run everything again: \`npx isolab bench polysi --scale laptop && npx isolab bench report --scale laptop\`
    "
  `);
});

test('the fold of the claims names their outcomes', () => {
  const ended =
    '<details><summary>Claims of the paper: ✓ 1 holds, – 1 not reproducible; our own checks: ✓ 1 holds</summary>';
  expect(page()).toContain(ended);
  const open = page({ rows: [row('PolySI', 5, 0.1), row('dbcop', 5, 1, { verdict: 'unknown', reason: 'timeout' })] });
  expect(open).not.toContain(ended);
  expect(open).toContain('our own checks: ✗ 1 fails</summary>');
  expect(open).toContain('| ✗ fails | ci | our check | dbcop ends. | dbcop has a verdict everywhere | at 5: timeout |');
});

test('the caption of a figure names the origins of its histories, and once that collected ones have times', () => {
  const collected = new Map<string, SeriesData>([...data, ['dbcop', { kind: 'database', from: [] }]]);
  const captions = [page(), page({ data: collected })].map((text) => /\*2 runs.*\*/.exec(text)![0]);
  expect(captions[0]).toContain('; from the paper’s own histories and a simulated database; limits ');
  expect(captions[1]).toContain('; from the paper’s own histories and a real database; histories of a real database ');
  expect(page()).not.toContain('which weave takes as a hint');
  expect(page({ data: collected }).split('which weave takes as a hint')).toHaveLength(2);
});

test('a table shows its values in place of a picture, and cells that were not run are marked', () => {
  expect(page({ experiment: experiment({ chart: 'table' }), svg: '' })).toMatchInlineSnapshot(`
    "# Checking

    No claims. The figures are of scale laptop. [All papers](summary.md)

    <details><summary>Outcomes of 1 figure</summary>

    | figure | what it shows | data | the paper | our checks |
    | --- | --- | --- | --- | --- |
    | [Figure&nbsp;6a](#fig6a) | Time by sessions | paper’s own, simulated |  |  |

    ✓ holds, ≈ direction only, ✗ fails, ? not measured, – not reproducible. A claim of a paper *holds* if the measured factor is at least 50 % of the paper’s at every point, or if the measured exponent of growth is within 0.3 of the paper’s. It holds in *direction only* if the order is the paper’s at half of the points or more, reversed at none, and the factor is smaller, if the series grows less steeply than the paper’s, or if both series fall. Otherwise it *fails*, also if the series grows more steeply than the paper’s. A ratio below 1.25, two medians whose intervals overlap, or an exponent within 0.05 of 0 is no difference. A claim is *within noise* if a run on another day may decide it otherwise: between days, times below 0.1 s differ by a factor of up to 2, longer times by 1.6, times of collecting by 3, memory by 10 MB, and shares of aborted transactions by 3 percentage points. The largest scale with measurements at half of its points or more decides a claim; other scales decide only the remaining claims.

    </details>

    <a id="fig6a"></a>

    ## Figure 6a: Time by sessions

    PolySI copes with concurrency.

    | sessions | PolySI | PolySI (paper) | dbcop | dbcop (paper) | CobraSI w/ GPU (paper) |
    | --- | ---: | ---: | ---: | ---: | ---: |
    | 5 | satisfied, 0.1 s | 0.61 s | satisfied, 1 s | 0.26 s | 0.54 s |
    | 10 |  | 1.1 s |  | ≥ 180 s | 1.7 s |

    time (s).

    *2 runs, one a point; from the paper’s own histories and a simulated database; limits 10 s and 1,000 MB; box; measured on 2026-11-21; 2 of 2 runs began at a load above 1.5.*

    <details><summary>Data, differences from the paper, and the command</summary>

    **Data.** The paper’s own histories ([Artifacts at f16891b0](https://github.com/a/b/tree/f16891b0)): PolySI. A simulated database: dbcop.

    \`\`\`sh
    npx isolab bench datasets get polysi
    npx isolab bench polysi/fig6a --scale laptop
    \`\`\`

    </details>

    ## To cite and to repeat

    > **To cite** if you use the polysi figures: Kaile Huang, Si Liu. *[Checking \\[SI\\]](https://doi.org/10.1/2)*. PVLDB, 2023.
    >
    > And isolab: [CITATION.cff](../../CITATION.cff).

    Made on a box.

    Run everything again: \`npx isolab bench polysi --scale laptop && npx isolab bench report --scale laptop\`
    "
  `);
  expect(page({ rows: [], svg: '' })).toContain('Not measured yet.');
});

test('the overview counts claims by whose they are and by the data that decide them', () => {
  expect(overviewMarkdown([entry]).split('\n').slice(2)).toEqual([
    '|  | claims of the paper | our own checks |',
    '| --- | --- | --- |',
    '| all | ✓ 1 holds, – 1 not reproducible | ✓ 1 holds |',
    '| on the paper’s own histories | ✓ 1 holds, – 1 not reproducible | no claims |',
    '| on a simulated database | no claims | ✓ 1 holds |',
  ]);
});

test('the summary leads to the pages of papers where there are any', () => {
  expect(summaryMarkdown([entry], { pageOf: (paper) => `${paper}.md` })).toContain('| [polysi](polysi.md) | 1 |');
  expect(summaryMarkdown([entry])).toContain('| polysi | 1 |');
});

const base = { text: '', origin: 'paper' } as const;

test.each<[PaperClaim, string]>([
  [{ ...base, kind: 'faster', series: 'a', than: 'b', factor: 1, at: [7, 9] }, 'b ÷ a > 1, at 7, 9'],
  [{ ...base, kind: 'faster', series: 'a', than: 'b', factor: 1, at: 'last' }, 'b ÷ a > 1, at the last point'],
  [{ ...base, kind: 'growth', series: 'a', atMost: 1.5 }, 'a grows by at most x^1.5'],
  [{ ...base, kind: 'verdict', series: 'all', is: 'violated', at: [1, 2] }, 'every series: violated at 1, 2'],
  [{ ...base, kind: 'misses', series: 'a', at: [1, 2, 3, 4, 5, 6] }, 'a reports no violation at 6 points'],
  [{ ...base, kind: 'counter', series: 'a', counter: 'edges', x: 3, equals: 5, within: 1 }, 'edges of a at 3: 5 ± 1'],
  [{ ...base, kind: 'share', series: 'a', stage: 'solve', atMost: 5 }, 'solve takes at most 5 % of the time of a'],
  [{ ...base, kind: 'counter', series: 'a', counter: 'edges', x: 3, atMost: 2 }, 'edges of a at 3: at most 2'],
])('%o asks for: %s', (claim, text) => {
  expect(requiredText(claim)).toBe(text);
});
