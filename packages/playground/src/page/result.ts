/** What is shown of a verdict, of its story, and of what went wrong. */

import type { SavedFile, Told } from '../protocol.ts';
import type { LevelVerdict, Verdicts } from '../verdicts.ts';
import { announce, bringIntoSight, element, make, show, write } from './elements.ts';
import { copy, save } from './keep.ts';
import { drawLattice, pressLevel } from './lattice.ts';
import { showStory } from './story-frame.ts';
import { colourOf, headlineOf, ended, time } from './words.ts';

export function clearResult(): void {
  show('result', false);
  for (const id of ['lattice', 'told', 'runs']) show(id, false);
  for (const id of ['headline', 'detail', 'opened', 'note', 'said']) write(id, '');
  showStory(null);
}

/** `onChoose` is called with the verdict of a level that is chosen in the lattice. */
export function showVerdicts(verdicts: Verdicts, onChoose: (verdict: LevelVerdict) => void): void {
  const { levels, runs } = verdicts;
  const { status, text, detail } = headlineOf(verdicts);
  show('result', true);
  element('headline').className = colourOf(status);
  write('headline', text);
  write('detail', detail);
  announce(`${text}. ${detail}`);
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

/** A level was chosen, whose story is perhaps to come. */
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

/** What the buttons keep. */
let kept: Told | null = null;

export function setUpKeeping(): void {
  const keeps = (id: string, type: string, fileOf: (told: Told) => SavedFile | null): void =>
    element(id).addEventListener('click', () => {
      const file = kept && fileOf(kept);
      if (!file) return;
      save(file, type);
      write('said', `Saved ${file.fileName}.`);
    });
  keeps('save-page', 'text/html', pageFile);
  keeps('save-history', 'application/jsonl', ({ history }) => history);
  keeps('save-certificate', 'application/json', ({ certificate }) => certificate);
  element('copy-markdown').addEventListener('click', async () => {
    const isDone = await copy(kept?.markdown ?? '');
    element('copy-markdown').focus();
    write('said', isDone ? 'Copied.' : 'The browser does not let this page copy.');
  });
}

const pageFile = ({ page, level }: Told): SavedFile | null =>
  page === null ? null : { fileName: `${level}.html`, text: page };

/** Shows the buttons for what there is to keep. */
function offer(told: Told | null): void {
  kept = told;
  write('said', '');
  show('save-page', (kept?.page ?? null) !== null);
  show('save-history', (kept?.history ?? null) !== null);
  show('save-certificate', (kept?.certificate ?? null) !== null);
  show('copy-markdown', (kept?.markdown ?? null) !== null);
}

/** Something went wrong: never a verdict, unless one stands and only its story is missing. */
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
