/** Predictions in words, for the terminal and for a page. */
import {
  type Confirmation,
  type Prediction,
  type Predictions,
  type Repairs,
  type Told,
  predictionsPage,
} from '@isolab/predict';
import { levelInWords, visibleLine } from 'isolab/skin';
import { writeFileTo } from 'isolab/formats';
import { type Story, story } from 'isolab';
import type { LevelName } from 'isolab/check';
import { type Printer, count } from '../terminal/print.ts';
import { programsText, repairText } from './repairs.ts';
import { tellBriefly } from './story.ts';

/** Predictions with their repairs. */
export interface Searched extends Predictions {
  readonly repaired: Repairs;
}

export interface Levels {
  readonly weaker: LevelName;
  readonly stronger: LevelName;
}

/** Returns the story of a prediction by its place; null after the time for stories, except for the first one. */
export type StoryOf = (i: number) => Promise<Story | null>;

/** Each story is made once. `ends` is a time of `performance.now`. */
export function storiesOf({ predictions }: Searched, ends: number): StoryOf {
  const made = new Map<number, Promise<Story | null>>();
  const make = async (i: number): Promise<Story | null> => {
    const { seen } = predictions[i]!;
    return i > 0 && performance.now() > ends ? null : story(seen.history, seen.forbidden, { commandWords: null });
  };
  return (i) => {
    const known = made.get(i) ?? make(i);
    made.set(i, known);
    return known;
  };
}

/** Yields the parts of the text; each is printed at once, so a signal loses no finished part. */
export async function* partsOf(
  path: string,
  found: Searched,
  confirmed: readonly Confirmation[],
  levels: Levels,
  storyOf: StoryOf,
  printer: Printer,
): AsyncGenerator<string> {
  yield `${printer.style.bold(visibleLine(path))}: ${headOf(found, levels)}`;
  let untold = 0;
  for (const [i, each] of found.predictions.entries()) {
    const told = await storyOf(i);
    if (told === null) untold++;
    yield `\n${await tell(i + 1, each, told, confirmed[i], printer)}`;
  }
  if (untold > 0)
    yield `\n--time ended before the stories of ${count(untold, 'kind')}; with more time, they are printed, too.`;
  const repair = repairText(found.repaired, found.programs);
  const named = programsText(found.repaired, found.programs).map((line) => `  ${line}`);
  if (repair.length > 0) yield `\n${[...repair, ...named].join('\n')}`;
  yield `\n${extentOf(found, levels).join('\n')}`;
}

function headOf({ predictions }: Searched, levels: Levels): string {
  const [weaker, stronger] = [levelInWords(levels.weaker), levelInWords(levels.stronger)];
  return predictions.length === 0
    ? `No other execution of these transactions is known that ${weaker} allows and ${stronger} forbids.`
    : `${count(predictions.length, 'kind')} of executions that ${weaker} allows and ${stronger} forbids:`;
}

/** Returns the extent of the search, in sentences. */
function extentOf({ isRecordedForbidden, gaps, covered, leftOut }: Searched, { stronger }: Levels): string[] {
  const extent =
    gaps.length > 0
      ? `The search is incomplete: ${gaps.map((gap) => (gap === 'aggregates' ? `${count(leftOut, 'transaction')} with ${GAPS[gap]}` : GAPS[gap])).join('; ')}.`
      : covered === Infinity
        ? 'All sets of changed reads were tried.'
        : `All sets of at most ${count(covered, 'changed read')} were tried.`;
  return isRecordedForbidden ? [`The recorded execution itself violates ${levelInWords(stronger)}.`, extent] : [extent];
}

/** Writes a page about predictions, with the outcomes of their confirmation. */
export async function writePage(
  page: string,
  path: string,
  found: Searched,
  confirmed: readonly Confirmation[],
  levels: Levels,
  storyOf: StoryOf,
): Promise<void> {
  const told: Told[] = [];
  for (const [i, each] of found.predictions.entries())
    told.push({
      story: await storyOf(i),
      anomaly: each.anomaly,
      lines: linesOf(each, confirmed[i]),
      confirmed: confirmed[i],
    });
  const repair = repairText(found.repaired, found.programs);
  const heading = headOf(found, levels).replace(/:$/, '');
  const facts = { Recording: path, Search: extentOf(found, levels).join(' ') };
  await writeFileTo(page, predictionsPage({ path, heading, facts, found, told, repaired: found.repaired, repair }));
}

const GAPS: Readonly<Record<Predictions['gaps'][number], string>> = {
  time: '--time ended it',
  interruption: 'a signal ended it',
  'distant versions': 'versions far from the recorded one were not tried',
  aggregates: 'aggregates of several rows, and readers of their writes, were left out',
  'further kinds': 'there may be more than 100 kinds',
  'cut-off': 'the recording stopped in the middle of a line, and later transactions are missing',
  nothing: 'the history has no transaction that happened',
  'unknown results': 'reads without a result are not changed',
  'undecided histories': 'some executions stayed undecided',
};
async function tell(
  number: number,
  prediction: Prediction,
  told: Story | null,
  confirmed: Confirmation | undefined,
  printer: Printer,
): Promise<string> {
  return [
    `${number}. ${told === null ? printer.style.red(prediction.anomaly) : await tellBriefly(told, printer.style)}`,
    ...linesOf(prediction, confirmed).map((line) => `  ${line}`),
  ].join('\n');
}

/** Returns the changed reads, the cut transactions and the outcome of the confirmation. */
function linesOf({ changes, cut }: Prediction, confirmed: Confirmation | undefined): string[] {
  const changed = changes.map(
    ({ transaction, place, recorded, predicted, version }) =>
      `${transaction} (${place}) reads ${predicted}, ${version}, instead of ${recorded}`,
  );
  const ends = cut.map((name) => `${name} is cut: a later operation depends on a changed value`);
  return [...changed, ...ends, ...(confirmed === undefined ? [] : [outcomeText(confirmed)])];
}

function outcomeText(confirmed: Confirmation): string {
  if (confirmed.outcome === 'not replayed') return `Not replayed: ${confirmed.why}.`;
  const { trials, database } = confirmed;
  const where = visibleLine(database);
  if (confirmed.outcome === 'happened')
    return confirmed.how === undefined
      ? `It happened on ${where} in ${confirmed.times} of ${count(trials, 'trial')}.`
      : `It happened on ${where} in trial ${trials}: ${confirmed.how}.`;
  if (confirmed.outcome === 'did not come about') {
    const why = confirmed.why === undefined ? '' : `: ${confirmed.why}`;
    return `It did not come about on ${where} in ${count(trials, 'trial')}${why}.`;
  }
  return `${where} prevented it in ${count(trials, 'trial')}: ${visibleLine(confirmed.by)}`;
}
