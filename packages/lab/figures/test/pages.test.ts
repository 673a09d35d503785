import { describe, expect, test } from 'vitest';
import { experimentPage, linkHtml } from '../src/report/experiment-page.ts';
import { indexPage, summaryPage } from '../src/report/index-page.ts';
import { summaryMarkdown } from '../src/report/summary-markdown.ts';
import { boardsOf, leaderboardPage } from '../src/report/leaderboard-page.ts';
import type { Experiment, Measurement } from '../src/results/results.ts';
import { HOSTILE, claim, experiment, row, rows, timedOut } from './experiments.ts';
import { all, hasClass, parse, textOf } from '@isolab/needs/browser';

const holds = [
  claim('PolySI is faster.', { kind: 'faster', series: 'PolySI', than: 'dbcop', factor: 1, at: 'all' }),
  claim('GPU.', { kind: 'not-reproducible', why: 'None here.' }),
];
const hostileExperiment: Experiment = experiment({
  id: `x/${HOSTILE}`,
  paper: HOSTILE,
  title: HOSTILE,
  claim: HOSTILE,
  holds,
  deviations: [HOSTILE],
});
const hostileRows = rows.map((one): Measurement => ({
  ...one,
  experiment: hostileExperiment.id,
  history: { ...one.history, id: HOSTILE },
  reason: HOSTILE,
  level: HOSTILE,
  checker: HOSTILE,
}));

/** Text of a page without its scripts and styles, a line for each block and each row of a table. */
function linesOf(html: string): string {
  const bare = html.replaceAll(/<(script|style)[^>]*>.*?<\/\1>/gs, '').replaceAll(/>(?=<\/t[dh]>)/g, '> ');
  const apart = bare
    .replaceAll(/(?=<\/(?:t[dh]|d[td]|a|span)>)/g, ' ')
    .replaceAll(/(?=<\/(?:h\d|p|tr|li|dd|summary)>)/g, '\n');
  const lines = textOf(parse(apart, { html: true })).split('\n');
  return lines.flatMap((line) => (line.trim() === '' ? [] : [line.trim().replaceAll(/ +/g, ' ')])).join('\n');
}

describe('pages', () => {
  const full = experiment({ holds, deviations: ['The histories are simulated.'] });
  const entries = [
    { experiment: full, rows, href: 'polysi-fig6a.html' },
    { experiment: hostileExperiment, rows: hostileRows, href: `javascript:alert(1)//${HOSTILE}` },
    { experiment: experiment({ id: 'polysi/other', holds }), rows: [], href: 'other.html' },
  ];
  const pages: [string, string][] = [
    [
      'experiment',
      experimentPage(full, rows, { command: 'isolab bench polysi/fig6a', files: [{ text: 'CSV', href: 'a.csv' }] }),
    ],
    ['hostile experiment', experimentPage(hostileExperiment, hostileRows, { command: HOSTILE })],
    ['index', indexPage(entries)],
    ['summary', summaryPage(entries)],
    ['leaderboard', leaderboardPage([...rows, ...hostileRows])],
    ['empty leaderboard', leaderboardPage([])],
  ];

  test.each(pages)('%s is well-formed, loads nothing and has no way to run anything', (_, html) => {
    const page = parse(html, { html: true });
    for (const { name, attributes } of all(page)) {
      expect(attributes.src).toBeUndefined();
      expect(name === 'script' ? attributes.src : undefined).toBeUndefined();
      if (attributes.href !== undefined) expect(attributes.href).not.toMatch(/^\s*javascript:/i);
      expect(Object.keys(attributes).filter((key) => key.startsWith('on'))).toEqual([]);
    }
    expect(all(page, ({ name }) => name === 'h1')).toHaveLength(1);
    for (const script of all(page, ({ name }) => name === 'script'))
      expect(() => new Function(script.text)).not.toThrow();
  });

  test('pages of an experiment has claim, values, claims that hold, set-up, deviations, machine and command', () => {
    expect(linesOf(pages[0]![1])).toMatchInlineSnapshot(`
      "polysi/fig6a: Time by sessions
      Skip to the content
      Time by sessions
      polysi/fig6a PolySI copes with concurrency.
      4 runs, one a point; limits 10 s and 1,000 MB; box; measured on 2026-11-21; 4 of 4 runs began at a load above 1.5.
      Values
      Time by sessions: time (s)
      sessions PolySI PolySI (paper) dbcop dbcop (paper) CobraSI w/ GPU (paper)
      50.5 s 0.61 s 2 s 0.26 s 0.54 s
      10 1.1 s ≥ 180 s 1.7 s
      151.5 s ≥ 10 s As a file:
      CSV Claims
      Claims
      outcome whose claim numbers
      ✓ holds the paper PolySI is faster. at 5 4× (0.5 s and 2 s); at 15 ≥ 6.7× (1.5 s and ≥ 10 s)
      – not reproducible the paper GPU. None here. Set-up
      level
      snapshot-isolationhistory
      workload=general sessions=$x transactions=100 level=snapshot-isolation seed=1sizes 20 sessions, 2,000 transactions, 30,000 operations, 10,000 keys
      series
      PolySIpolysidbcopdbcop:plainlimits 10 s and 1,000 MB per run at scale ci; in the paper 180 s and 16,000 MB
      repeats 1 here, 1 in the paper
      machine box; Node 20.20.2; commit abcdef2026-11-21, load 2.0 to 2.0
      Deviations from the paper
      The histories are simulated.
      Runs
      4 runs
      All runs
      sessions series repeat verdict wall CPU peak memory certificate history
      5 PolySI 0 satisfied 0.5 s 0.45 s 250 MB verified general@5
      15 PolySI 0 satisfied 1.5 s 1.4 s 250 MB verified general@15
      5 dbcop 0 satisfied 2 s 1.8 s 250 MB verified general@5
      15 dbcop 0 unknown: timeout 10 s 9 s 250 MB none general@15Run it again
      isolab bench polysi/fig6a"
    `);
  });

  test('pages explain a claim that fails, and not one that holds', () => {
    const faster = { kind: 'faster', than: 'dbcop', factor: 1, at: 'all', note: 'The published one is slower.' };
    const told = (series: object): string =>
      experimentPage(experiment({ holds: [claim('It is.', { ...faster, ...series })] }), rows);
    expect(told({ factor: 20, series: 'PolySI' })).toContain('The published one is slower.');
    expect(told({ series: 'PolySI' })).not.toContain('The published one is slower.');
  });

  test('pages of a summary counts the claims of each paper', () => {
    expect(linesOf(summaryPage([entries[0]!, entries[2]!]))).toMatchInlineSnapshot(`
      "Reproduced claims
      Skip to the content
      Reproduced claims
      4 claims of 2 experiments; claims of the paper: , , .
      ✓ 1 holds ? 1 not measured – 2 not reproducible
      Claims by paper
      paper experiments claims of the paper our own checks
      polysi 2 , , ✓ 1 holds ? 1 not measured – 2 not reproducible no claims
      polysi
      claims of the paper: , ,
      ✓ 1 holds ? 1 not measured – 2 not reproducible
      fig6a: Time by sessions
      Claims
      outcome whose claim numbers
      ✓ holds the paper PolySI is faster. at 5 4× (0.5 s and 2 s); at 15 ≥ 6.7× (1.5 s and ≥ 10 s)
      – not reproducible the paper GPU. None here.
      fig6a: Time by sessions
      Claims
      outcome whose claim numbers
      ? not measured the paper PolySI is faster. not run yet
      – not reproducible the paper GPU. None here."
    `);
  });

  test('pages of a summary are Markdown too, which names only claims that do not hold', () => {
    expect(summaryMarkdown([entries[0]!, entries[2]!], { note: 'At a|b.' })).toMatchInlineSnapshot(`
      "# Reproduced claims

      4 claims of 2 experiments:

      |  | claims of the paper | our own checks |
      | --- | --- | --- |
      | all | ✓ 1 holds, ? 1 not measured, – 2 not reproducible | no claims |

      A claim of a paper *holds* if the measured factor is at least 50 % of the paper’s at every point, or if the measured exponent of growth is within 0.3 of the paper’s. It holds in *direction only* if the order is the paper’s at half of the points or more, reversed at none, and the factor is smaller, if the series grows less steeply than the paper’s, or if both series fall. Otherwise it *fails*, also if the series grows more steeply than the paper’s. A ratio below 1.25, two medians whose intervals overlap, or an exponent within 0.05 of 0 is no difference. A claim is *within noise* if a run on another day may decide it otherwise: between days, times below 0.1 s differ by a factor of up to 2, longer times by 1.6, times of collecting by 3, memory by 10 MB, and shares of aborted transactions by 3 percentage points. The largest scale with measurements at half of its points or more decides a claim; other scales decide only the remaining claims.

      | paper | experiments | claims of the paper | our own checks |
      | --- | --- | --- | --- |
      | polysi | 2 | ✓ 1 holds, ? 1 not measured, – 2 not reproducible | no claims |

      ## polysi

      <details><summary>3 claims that do not hold in full</summary>

      | figure | whose | claim | outcome | scale | numbers |
      | --- | --- | --- | --- | --- | --- |
      | fig6a | the paper | GPU. | not reproducible | – | None here. |
      | fig6a | the paper | PolySI is faster. | not measured | – | not run yet |
      | fig6a | the paper | GPU. | not reproducible | – | None here. |

      </details>

      At a\\|b.
      "
    `);
  });

  test('pages of a summary count the paper’s claims and our own checks apart', () => {
    const ours = claim('It ends.', { kind: 'finishes', series: 'PolySI', at: 'all', origin: 'sanity' });
    const theirs = claim('GPU.', { kind: 'not-reproducible', why: 'None here.' });
    const entry = { experiment: experiment({ holds: [theirs, ours] }), rows, href: 'a.html' };
    const counted = '| all | – 1 not reproducible | ✓ 1 holds |';
    expect(summaryMarkdown([entry])).toContain(counted);
    expect(summaryMarkdown([entry])).toContain('| polysi | 1 | – 1 not reproducible | ✓ 1 holds |');
    for (const html of [summaryPage([entry]), indexPage([entry])])
      expect(html).toMatch(/claims of the paper: <[^;]*1 not reproducible<[^;]*; our own checks: <[^;]*1 holds</);
    expect(textOf(parse(experimentPage(entry.experiment, rows), { html: true }))).toContain('our check');
  });

  test('pages of a leaderboard have no hunts, which have no competitor', () => {
    const board = boardsOf([row('weave', 5, 1), row('random', 5, 2, { checker: 'hunt', variant: 'random' })]);
    expect(board.map(({ checkers }) => checkers)).toEqual([['weave']]);
  });

  test('pages begin long reasons in the table of values, and count no history that was not read', () => {
    const skipped = row('dbcop', 5, 0, {
      verdict: 'skipped',
      reason: 'absent device: no such device is to be had here',
      history: { id: '', sessions: 0, transactions: 0, operations: 0, keys: 0 },
    });
    const html = experimentPage(full, [row('PolySI', 5, 1), skipped]);
    expect(html).toContain('<span title="absent device: no such device is to be had here">absent device</span>');
    expect(html).toContain('<dd>20 sessions, 2,000 transactions, 30,000 operations, 10,000 keys</dd>');
  });

  test('pages say whose the results are, and show one’s own beside those in whose place they stand', () => {
    const own = row('PolySI', 5, 2);
    const theirs = row('PolySI', 5, 4);
    const html = experimentPage(full, [own, row('dbcop', 5, 1)], { own: [own], replaced: [theirs] });
    expect(html).toContain(
      '1 result is your own, in place of the repository’s results at the same points; all other results come',
    );
    expect(html).toContain('<td class="number">2 s</td><td class="number">4 s</td><td class="number">0.5×</td>');
    expect(experimentPage(full, [own], { own: [own] })).toContain('All results are your own.');
    expect(experimentPage(full, [own], { own: [] })).toContain('None of the results is your own');
    expect(experimentPage(full, [own])).not.toContain('your own');
  });

  test('pages of a leaderboard shows disagreements in red, and only those', () => {
    const board = [
      row('weave', 5, 1),
      row('polysi', 5, 2),
      row('weave', 6, 1),
      row('polysi', 6, 2, { verdict: 'violated' }),
      timedOut('dbcop', 5),
      // A checker that trusts claims answers another question.
      row('chronos', 5, 3, { verdict: 'violated', reason: 'if the timestamps that the database states are right' }),
    ];
    const page = parse(leaderboardPage(board), { html: true });
    const red = all(page, hasClass('wrong'));
    expect(red).toHaveLength(1);
    expect(textOf(red[0]!)).toContain('general@6');
    expect(boardsOf(board)[0]!.checkers).toEqual(['polysi', 'weave', 'chronos', 'dbcop']);
    expect(textOf(page)).toContain('violated: if the timestamps that the database states are right');
    expect(all(page, hasClass('best')).map(textOf)).toEqual(
      ['satisfied1 s250 MB', 'satisfied1 s250 MB'].map((text) => expect.stringContaining(text.slice(0, 9))),
    );
    expect(textOf(page)).toContain('1 disagreement');
    expect(leaderboardPage(rows)).toContain('No two checkers disagree.');
  });

  test('link only to files and web pages', () => {
    expect(linkHtml({ text: 'a', href: 'x/y.html#z' })).toContain('href');
    expect(linkHtml({ text: 'a', href: 'https://example.org' })).toContain('href');
    for (const href of ['javascript:alert(1)', ' JavaScript:alert(1)', 'data:text/html,x'])
      expect(linkHtml({ text: 'a', href })).toBe('a');
  });
});
