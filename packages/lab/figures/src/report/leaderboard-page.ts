// Table of checkers, levels and histories. If two checkers disagree, one of them is wrong, and the line is red.

import { shown } from '../chart/points.ts';
import { escapeXml, grouped, htmlPage, plural } from '@isolab/story/markup';
import type { Measurement } from '../results/results.ts';
import { type ReportOptions, grouping } from './index-page.ts';
import { navigationHtml } from './experiment-page.ts';
import { REPORT_STYLE } from './report-style.ts';

interface Line {
  readonly history: Measurement['history'];
  /** Measurements by checker, which may have several runs. */
  readonly cells: ReadonlyMap<string, readonly Measurement[]>;
  readonly disagree: boolean;
}

export interface Board {
  readonly level: string;
  readonly checkers: readonly string[];
  readonly lines: readonly Line[];
}

/** Returns whether a verdict depends on the history alone: a verdict under an assumption has it as its reason. */
const isAnswer = (row: Measurement): boolean => isDecided(row) && row.reason === null;

const isDecided = ({ verdict }: Measurement): boolean => verdict === 'satisfied' || verdict === 'violated';

/** Groups the rows by level and history. */
export function boardsOf(rows: readonly Measurement[]): Board[] {
  // No other checker has the histories of a hunt, and a prediction is no verdict on its history.
  const checked = rows.filter(({ checker }) => checker !== 'hunt' && checker !== 'predict');
  return [...grouping(checked, ({ level }) => level)].map(([level, ofLevel]) => {
    const lines = [...grouping(ofLevel, ({ history }) => history.id)].map(([, ofHistory]) => ({
      history: ofHistory[0]!.history,
      cells: grouping(ofHistory, nameOf),
      disagree: new Set(ofHistory.filter(isAnswer).map(({ verdict }) => verdict)).size > 1,
    }));
    return { level, checkers: byUse(lines), lines };
  });
}

/** Sorts checkers by use: the most used ones are beside the histories, the others need scrolling. */
function byUse(lines: readonly Line[]): string[] {
  const uses = new Map<string, number>();
  for (const { cells } of lines) for (const checker of cells.keys()) uses.set(checker, (uses.get(checker) ?? 0) + 1);
  return [...uses].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([checker]) => checker);
}

const nameOf = ({ checker, variant }: Measurement): string => (variant === null ? checker : `${checker} (${variant})`);

export function leaderboardPage(
  rows: readonly Measurement[],
  { title = 'Leaderboard', navigation = [], note = '' }: ReportOptions = {},
): string {
  const boards = boardsOf(rows);
  const wrong = boards.flatMap(({ level, lines }) =>
    lines.filter(({ disagree }) => disagree).map(({ history }) => `${history.id} (${level})`),
  );
  const disagreements =
    wrong.length === 0
      ? '<p class="good">No two checkers disagree.</p>'
      : `<p class="bad"><b>${plural(wrong.length, 'disagreement')}:</b> ${wrong.map(escapeXml).join(', ')}</p>`;
  const jumps = boards.map(({ level }, i) => `<a href="#level-${i}">${escapeXml(level)}</a>`).join(' · ');
  return htmlPage({
    title,
    style: REPORT_STYLE,
    script: LEADERBOARD_SCRIPT,
    body: `${navigationHtml(navigation)}<main id="main"><h1>${escapeXml(title)}</h1>${note === '' ? '' : `<p>${escapeXml(note)}</p>`}
${disagreements}<p>${jumps}</p><p class="toolbar"><button type="button" id="only-wrong" aria-pressed="false" hidden>Only disagreements</button></p>
${boards.map(boardHtml).join('\n')}</main>`,
  });
}

function boardHtml({ level, checkers, lines }: Board, index: number): string {
  const head = checkers.map((checker) => `<th scope="col">${escapeXml(checker)}</th>`).join('');
  const body = lines.map((line) => {
    const times = checkers.map((checker) => bestTime(line.cells.get(checker) ?? []));
    const best = Math.min(...times.filter((time) => time !== null));
    const cells = checkers.map((checker, i) =>
      cellHtml(line.cells.get(checker) ?? [], times[i] !== null && times[i] === best),
    );
    const { id, transactions } = line.history;
    return `<tr${line.disagree ? ' class="wrong"' : ''}><th scope="row"><div class="history">${escapeXml(id)}<br><span class="faint">${plural(transactions, 'transaction')}${line.disagree ? ', <b class="bad">disagreement</b>' : ''}</span></div></th>${cells.join('')}</tr>`;
  });
  return `<section><h2 id="level-${index}">${escapeXml(level)}</h2><div class="scroll" role="region" aria-label="${escapeXml(level)}" tabindex="0"><table class="board"><caption class="faint">${grouped(lines.length)} histories; the fastest of each in bold</caption><thead><tr><th scope="col">history</th>${head}</tr></thead><tbody>
${body.join('\n')}
</tbody></table></div></section>`;
}

const bestTime = (rows: readonly Measurement[]): number | null => {
  const times = rows.filter((row) => isDecided(row) && row.wallMs !== null).map(({ wallMs }) => wallMs!);
  return times.length === 0 ? null : Math.min(...times);
};

function cellHtml(rows: readonly Measurement[], isBest: boolean): string {
  if (rows.length === 0) return '<td class="faint">–</td>';
  const decided = rows.filter(isDecided);
  const told = decided.length > 0 ? decided : rows;
  const verdicts = [...new Set(told.map(({ verdict }) => verdict))].join('/');
  const rejected = rows.some(({ certificate }) => certificate === 'rejected');
  const reason = told.find((row) => row.reason !== null)?.reason ?? null;
  const time = bestTime(rows);
  const memory = decided.map(({ peakRssBytes }) => peakRssBytes).filter((bytes) => bytes !== null);
  const numbers = [
    time === null ? '' : shown(time / 1000, 's'),
    memory.length === 0 ? '' : shown(Math.min(...memory) / 1e6, 'MB'),
    rejected ? '<b class="bad">certificate rejected</b>' : '',
  ].filter((part) => part !== '');
  const style = [isBest ? 'best' : '', rejected ? 'wrong' : ''].filter((name) => name !== '').join(' ');
  const verdict = `<span${decided.length > 0 ? '' : ' class="warn"'}>${verdicts}${reason === null ? '' : `: ${escapeXml(reason)}`}</span>`;
  return `<td${style === '' ? '' : ` class="${style}"`}>${verdict}${numbers.length === 0 ? '' : `<br>${numbers.map((text) => `<span class="nowrap">${text}</span>`).join(', ')}`}</td>`;
}

/** The button is useful only if there is something to hide, and a script to do it. */
const LEADERBOARD_SCRIPT = String.raw`(() => {
const button = document.getElementById('only-wrong');
const lines = [...document.querySelectorAll('tbody tr')];
if (!lines.some((line) => line.classList.contains('wrong'))) return;
button.hidden = false;
button.addEventListener('click', () => {
  const on = button.getAttribute('aria-pressed') !== 'true';
  button.setAttribute('aria-pressed', String(on));
  for (const line of lines) line.hidden = on && !line.classList.contains('wrong');
});
})();`;
