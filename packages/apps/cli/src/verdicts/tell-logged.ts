/** Prints which programs of a log could conflict. A log has no results, so nothing is predicted from it. */
import {
  type LoggedDangers,
  DANGER_TITLES,
  LogError,
  dangerText,
  dangersInLog,
  logIn,
  partyNames,
} from '@isolab/record/logs';
import { levelInWords, visibleLine } from 'isolab/skin';
import type { LevelName } from 'isolab/check';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { type OutputsAsked, writeJson } from '../terminal/outputs-asked.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';

export interface AskedOfLog {
  readonly path: string;
  readonly weaker: LevelName;
  readonly output: string | undefined;
  readonly files: Required<OutputsAsked>['files'];
  /** Option for something that only a prediction has; undefined for none. */
  readonly ofPrediction: string | undefined;
}

/** Prints the dangers of a log and returns the exit code; null if the file is no log. */
export async function tellLogged(asked: AskedOfLog, printer: Printer): Promise<number | null> {
  const { path, weaker, output, ofPrediction } = asked;
  const log = path === '-' ? null : logIn(path);
  if (log === null) return null;
  if (ofPrediction !== undefined)
    throw new UsageError(
      `${visibleLine(path)} is a log (${log.name}), which has no results to predict from; leave out ${ofPrediction}.`,
    );
  const level = LEVELS.find(({ claims }) => claims.some((each) => each === weaker))?.name;
  if (level === undefined)
    throw new UsageError(`From a log, dangers are found at read-committed and snapshot-isolation, not at ${weaker}.`);
  let found: LoggedDangers;
  try {
    found = await dangersInLog(log.read(path), level);
  } catch (error) {
    if (error instanceof LogError) throw new UsageError(visibleLine(error.message));
    throw error;
  }
  const { programs, dangers, unread } = found;
  const json = toJson({ path, log: log.name, level: weaker, predictions: [], ...shown(found), unread });
  await writeJson(json, asked);
  if (output === 'json') printer.out(json);
  else {
    const head = `${visibleLine(path)} (${log.name}): a log has no results, so nothing is predicted.`;
    printer.out(`${printer.style.bold(head)} ${resultOf(found, weaker)}`);
    for (const [i, danger] of dangers.entries()) printer.out(`\n${i + 1}. ${textOf(danger)}`);
    if (unread.count > 0)
      printer.out(
        `\n${count(unread.count, 'statement')} could not be read, the first one in line ${unread.firstLine}.`,
      );
  }
  const isClear = programs.length > 0 && dangers.length === 0 && unread.count === 0;
  return isClear ? ExitCode.Satisfied : ExitCode.Unknown;
}

function resultOf({ programs, dangers }: LoggedDangers, weaker: LevelName): string {
  if (programs.length === 0)
    return 'The log has no committed transaction, so this says nothing; it must list all statements.';
  return dangers.length === 0
    ? `Of ${count(programs.length, 'program')}, no pair has a dangerous cycle at ${levelInWords(weaker)}.`
    : `Of ${count(programs.length, 'program')}, these could conflict if their rows are the same:`;
}

const LEVELS = [
  { name: 'read committed', claims: ['read-committed', 'oracle-read-committed'] },
  { name: 'repeatable read', claims: ['snapshot-isolation'] },
] as const;

const shown = ({ programs, dangers }: LoggedDangers): object => ({
  programs: programs.map(({ name, count: times, statements }) => ({ name, times, statements })),
  dangers: dangers.map(({ name, preventedBy, parties }) => ({
    name,
    preventedBy,
    parties: parties.map(({ program, statements }) => ({ program: program.name, statements })),
  })),
});

function textOf(danger: LoggedDangers['dangers'][number]): string {
  const names = partyNames(danger);
  const parties = danger.parties.flatMap(({ statements }, i) =>
    statements.map((each) => `  ${names[i]}  ${visibleLine(each)}`),
  );
  return [
    `${DANGER_TITLES[danger.name]}: ${dangerText(danger)}`,
    ...parties,
    `  Prevented by ${danger.preventedBy.toUpperCase()}.`,
  ].join('\n');
}
