/** Predictions in words, for the terminal and for a page. */
import { type Confirmation, type Prediction, type Predictions, type Repairs, predictionsPage } from '@isolab/predict';
import { levelInWords, visibleLine } from 'isolab/skin';
import { writeFileTo } from 'isolab/formats';
import { story } from 'isolab';
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

/** Yields the parts of the text; each is printed at once, so a signal loses no finished part. */
export async function* partsOf(
  path: string,
  found: Searched,
  confirmed: readonly Confirmation[],
  levels: Levels,
  printer: Printer,
): AsyncGenerator<string> {
  yield `${printer.style.bold(visibleLine(path))}: ${headOf(found, levels)}`;
  for (const [i, each] of found.predictions.entries()) yield `\n${await tell(i + 1, each, confirmed[i], printer)}`;
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
function extentOf({ isRecordedForbidden, gaps, covered }: Searched, { stronger }: Levels): string[] {
  const extent =
    gaps.length > 0
      ? `The search is incomplete: ${gaps.map((gap) => GAPS[gap]).join('; ')}.`
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
): Promise<void> {
  const told = await Promise.all(
    found.predictions.map(async (each, i) => ({
      story: await story(each.seen.history, each.seen.forbidden, { commandWords: null }),
      lines: linesOf(each, confirmed[i]),
      confirmed: confirmed[i],
    })),
  );
  const repair = repairText(found.repaired, found.programs);
  const heading = headOf(found, levels).replace(/:$/, '');
  const facts = { Recording: path, Search: extentOf(found, levels).join(' ') };
  await writeFileTo(page, predictionsPage({ path, heading, facts, found, told, repaired: found.repaired, repair }));
}

const GAPS: Readonly<Record<Predictions['gaps'][number], string>> = {
  time: '--time ended it',
  interruption: 'a signal ended it',
  'distant versions': 'versions far from the recorded one were not tried',
  aggregates: 'transactions with aggregates of several rows were left out',
  'further kinds': 'there may be more than 100 kinds',
  'cut-off': 'the recording stopped in the middle of a line, and later transactions are missing',
  'undecided histories': 'some executions stayed undecided',
};
async function tell(
  number: number,
  prediction: Prediction,
  confirmed: Confirmation | undefined,
  printer: Printer,
): Promise<string> {
  const told = await story(prediction.seen.history, prediction.seen.forbidden, { commandWords: null });
  return [
    `${number}. ${told === null ? '' : await tellBriefly(told, printer.style)}`,
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
