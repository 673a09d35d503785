/** Shows a verdict, its story, and errors. */

import type { Comparison } from 'isolab';
import type { Converted, Counted, LevelsCompared, SavedFile, Told, Verified } from '../worker/protocol.ts';
import type { LevelVerdict, Verdicts } from './verdicts.ts';
import { announce, bringIntoSight, element, make, show, write } from './elements.ts';
import { copy, save } from './keep.ts';
import { drawLattice, pressLevel } from './lattice.ts';
import { showStory } from './story-frame.ts';
import { colourOf, headlineOf, ended, time } from './words.ts';

export function clearResult(): void {
  show('result', false);
  for (const id of ['lattice', 'told', 'runs', 'counts']) show(id, false);
  for (const id of ['headline', 'detail', 'opened', 'note', 'said', 'verdict-more', 'count-rows', 'converted'])
    write(id, '');
  element<HTMLDetailsElement>('counts').open = false;
  showStory(null);
}

/** `onChoose` is called with the verdict of a level that is chosen in the lattice. */
export function showVerdicts(verdicts: Verdicts, onChoose: (verdict: LevelVerdict) => void): void {
  const { levels, runs, kinds } = verdicts;
  const { status, text, detail } = headlineOf(verdicts);
  show('result', true);
  element('headline').className = colourOf(status);
  write('headline', text);
  write('detail', detail);
  announce(`${text}. ${detail}`);
  if (kinds !== null)
    element('verdict-more').replaceChildren(kindsTable(kinds), ...kinds.notes.map((note) => make('p', note)));
  show('counts', true);
  show('lattice', levels.length > 1);
  if (levels.length > 1) drawLattice(element('lattice'), levels, onChoose);
  show('runs', runs.length > 0);
  element('run-rows').replaceChildren(
    ...runs.map(({ level, checker, status: verdict, ms, details }) => {
      const cells = [level, checker, verdict, time(ms), details].map((cell) => make('td', cell));
      cells[2]!.className = colourOf(verdict);
      cells[3]!.className = 'number';
      return make('tr', cells);
    }),
  );
  bringIntoSight('headline');
}

/** Shows the chosen level; its story may follow. */
export function showChosen({ level, status, why }: LevelVerdict): void {
  pressLevel(element('lattice'), level);
  showStory(null);
  show('told', true);
  const text = `${level} is ${status}. ${ended(why)}`;
  write('note', text);
  announce(text);
  offer(null);
}

export function showTold(told: Told): void {
  pressLevel(element('lattice'), told.level);
  show('told', true);
  write('note', told.note);
  offer(told);
  showStory(told.page);
}

export const pressWhole = (isWhole: boolean): void => element('whole').setAttribute('aria-pressed', String(isWhole));

/** Table of a history's anomalies, each kind once. */
function kindsTable(kinds: NonNullable<Verdicts['kinds']>): HTMLElement {
  const rows = kinds.rows.map(({ level, name, count, example }) =>
    make('tr', [make('td', name), numberCell(count), make('td', level), make('td', example)]),
  );
  return tableOf(['anomaly', 'times', 'level', 'smallest example'], rows, 'Kinds of anomalies');
}

/** Shows the verdicts of every checker on a level. */
export function showComparison({ level, agree, verdict, reports }: Comparison): void {
  const text = agree ? `${level} is ${verdict}` : `The checkers contradict each other about ${level}`;
  const asked = reports.length;
  const decided = reports.filter(({ verdict: said, supposing }) => said !== 'unknown' && supposing === null).length;
  showHeadline(
    agree ? colourOf(verdict) : 'warn',
    text,
    agree
      ? `${decided} of ${asked} checkers decide it, and their verdicts agree.`
      : 'At least one of them is wrong. Please report it, with the history.',
  );
  const rows = reports.map((report) => {
    const status = make('td', report.verdict);
    status.className = colourOf(report.verdict);
    const spent = make('td', time(report.wallMs));
    spent.className = 'number';
    return make('tr', [
      make('td', report.checker),
      status,
      spent,
      make('td', report.unknown?.detail ?? report.supposing ?? ''),
    ]);
  });
  element('verdict-more').replaceChildren(
    tableOf(['checker', 'verdict', 'time', 'reason if unknown, or assumption'], rows, 'Checkers'),
  );
  bringIntoSight('headline');
}

/** Shows the verdicts of every checker on each level. */
export function showComparisons(comparisons: readonly Comparison[]): void {
  const apart = comparisons.filter(({ agree }) => !agree).map(({ level }) => level);
  const decided = comparisons.filter(({ verdict }) => verdict !== 'unknown').length;
  showHeadline(
    apart.length === 0 ? '' : 'warn',
    apart.length === 0 ? 'The checkers agree' : `The checkers contradict each other about ${apart.join(', ')}`,
    apart.length === 0
      ? `${decided} of ${comparisons.length} levels are decided.`
      : 'At least one of them is wrong. Please report it, with the history.',
  );
  const rows = comparisons.map(({ level, verdict, reports }) => {
    const status = make('td', verdict);
    status.className = colourOf(verdict);
    const deciding = reports.filter(({ verdict: said, supposing }) => said !== 'unknown' && supposing === null);
    const saying = deciding.map(({ checker, verdict: said }) => (said === verdict ? checker : `${checker} (${said})`));
    return make('tr', [make('td', level), status, make('td', saying.join(', '))]);
  });
  element('verdict-more').replaceChildren(tableOf(['level', 'verdict', 'checkers that decide it'], rows, 'Levels'));
  bringIntoSight('headline');
}

export function showVerified({ isProof, text, checked }: Verified): void {
  const all = checked.length === 0 ? '' : `Checked: ${checked.join(', ')}. `;
  showHeadline(
    isProof ? 'good' : 'bad',
    isProof ? `The certificate proves that ${text}` : 'The certificate proves nothing',
    `${all}${isProof ? 'The verifier shares no code with the checkers.' : ended(text)}`,
  );
  bringIntoSight('headline');
}

/** `onTake` is called with a history that distinguishes the levels, and the level that it violates. */
export function showLevelsCompared(
  { ways, searched }: LevelsCompared,
  onTake: (text: string, level: string) => void,
): void {
  const [{ strong: first, weak: second }] = ways;
  showHeadline('', `${first} and ${second}`, searched ?? 'Neither implies the other one.');
  element('verdict-more').replaceChildren(
    ...ways.flatMap(({ strong, weak, text, isStated }) => {
      if (text === null) {
        const why = isStated ? 'as its definition states' : 'as far as the search went';
        return [make('h3', `${strong} implies ${weak}, ${why}`)];
      }
      const take = make('button', 'Check it');
      take.type = 'button';
      take.addEventListener('click', () => onTake(text, weak));
      return [
        make('h3', `${strong} does not imply ${weak}`),
        make('p', [
          document.createTextNode(`This history, one session per line, satisfies ${strong} and violates ${weak}. `),
          take,
        ]),
        make('pre', text),
      ];
    }),
  );
  bringIntoSight('headline');
}

export const showCounts = ({ rows }: Counted): void =>
  element('count-rows').replaceChildren(
    ...rows.map(([name, count, remark]) => {
      const head = make('th', name);
      head.scope = 'row';
      return make('tr', [head, numberCell(count), make('td', remark)]);
    }),
  );

export function saveConverted({ files, losses }: Converted): void {
  for (const { fileName, bytes } of files) save({ fileName, content: bytes }, 'application/octet-stream');
  write(
    'converted',
    losses.length > 0
      ? `Not written: the format would lose ${losses.join(', ')}.`
      : `Saved ${files.map(({ fileName }) => fileName).join(', ')}.`,
  );
}

function showHeadline(colour: string, text: string, detail: string): void {
  clearPart();
  show('result', true);
  element('headline').className = colour;
  write('headline', text);
  write('detail', detail);
  announce(`${text}. ${detail}`);
}

/** Clears all but the description of the opened file. */
function clearPart(): void {
  const opened = element('opened').textContent;
  clearResult();
  write('opened', opened);
}

function numberCell(content: string | number): HTMLElement {
  const cell = make('td', String(content));
  cell.className = 'number';
  return cell;
}

function tableOf(heads: readonly string[], rows: readonly HTMLElement[], name: string): HTMLElement {
  const head = make(
    'tr',
    heads.map((each) => {
      const cell = make('th', each);
      cell.scope = 'col';
      return cell;
    }),
  );
  const box = make('div', [make('table', [make('thead', [head]), make('tbody', rows)])]);
  box.className = 'scroll';
  box.tabIndex = 0;
  box.setAttribute('role', 'region');
  box.setAttribute('aria-label', name);
  return box;
}

/** Data for the buttons. */
let kept: Told | null = null;

/** `onWhole` is called when the user requests the story of the whole history, or of the smallest part again. */
export function setUpKeeping(onWhole: (whole: boolean) => void, onLink: (text: string) => void): void {
  const whole = element('whole');
  whole.addEventListener('click', () => onWhole(whole.getAttribute('aria-pressed') !== 'true'));
  element('link-part').addEventListener('click', () => {
    if (kept?.history) onLink(kept.history.text);
  });
  const keeps = (id: string, type: string, fileOf: (told: Told) => SavedFile | null): void =>
    element(id).addEventListener('click', () => {
      const file = kept && fileOf(kept);
      if (!file) return;
      save({ fileName: file.fileName, content: file.text }, type);
      write('said', `Saved ${file.fileName}.`);
    });
  keeps('save-page', 'text/html', pageFile);
  keeps('save-history', 'application/jsonl', ({ history }) => history);
  keeps('save-certificate', 'application/json', ({ certificate }) => certificate);
  element('copy-markdown').addEventListener('click', async () => {
    const isDone = await copy(kept?.markdown ?? '');
    element('copy-markdown').focus();
    write('said', isDone ? 'Copied.' : 'The browser does not allow this page to copy.');
  });
}

const pageFile = ({ page, level }: Told): SavedFile | null =>
  page === null ? null : { fileName: `${level}.html`, text: page };

/** Shows the buttons for the available data. */
function offer(told: Told | null): void {
  kept = told;
  write('said', '');
  show('save-page', (kept?.page ?? null) !== null);
  show('save-history', (kept?.history ?? null) !== null);
  show('save-certificate', (kept?.certificate ?? null) !== null);
  show('copy-markdown', (kept?.markdown ?? null) !== null);
  show('link-part', (kept?.history ?? null) !== null);
  show('whole', kept?.isViolation ?? false);
}

/** Shows an error: not a verdict, unless one exists and only its story is missing. */
export function showRefusal(message: string, advice: string, isVerdictThere: boolean): void {
  announce(`${message} ${advice}`);
  if (isVerdictThere) {
    show('told', true);
    offer(null);
    write('note', `${message} ${advice}`);
    return;
  }
  clearResult();
  show('result', true);
  element('headline').className = 'warn';
  write('headline', 'No verdict');
  write('detail', [message, advice].filter((part) => part !== '').join('\n'));
  bringIntoSight('headline');
}
