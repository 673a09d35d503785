import { join } from 'node:path';
import { BOUNDARIES, type Prediction, type Predictions, predict as predictions } from '@isolab/predict';
import { statementsIn } from '@isolab/record/statements';
import { writeFileTo } from 'isolab/formats';
import { levelInWords, visibleLine } from 'isolab/skin';
import { certificate, convert, story } from 'isolab';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { parseTime } from '../terminal/limits.ts';
import {
  type CommandFlags,
  type CommandModule,
  FORCE,
  LEVEL,
  OUT_FOLDER,
  READING,
  TIME,
  choice,
  option,
} from '../terminal/options.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { makeFolder } from '../terminal/targets.ts';
import { levelAsked } from '../terminal/words.ts';
import { openPath } from '../verdicts/open.ts';
import { tellBriefly } from '../verdicts/story.ts';

const OPTIONS = [
  ...READING,
  LEVEL('predict executions that this level allows; READ COMMITTED if absent'),
  option('--against <level>', 'and that this level forbids', 'serializable'),
  choice('--boundary <rule>', 'keep operations after a changed value by this rule', ...BOUNDARIES),
  TIME('limit the time of reading, and of the search', '60s'),
  OUT_FOLDER('write each predicted history and its certificates to FOLDER'),
  FORCE,
] as const;
type PredictFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: [
    'isolab predict shop.jsonl --level read-committed',
    'isolab predict history.jsonl --level si --boundary strict --out predicted',
  ],
  options: OPTIONS,
  run: predict,
};

/** `isolab predict`: prints executions of the recorded transactions that one level allows and another forbids. */
export async function predict(path: string, flags: PredictFlags, printer: Printer): Promise<number> {
  const stronger = levelAsked(flags.against).level.name;
  const timeMs = parseTime(flags.time);
  if (flags.out !== undefined) makeFolder(flags.out, { inputs: [path], force: flags.force });
  const input = await openPath(path, flags);
  if (input.kind === 'polygraph') throw new UsageError(`${path} is a polygraph, expected a history.`);
  const isRecording = input.history.source.hiddenColumns !== undefined;
  const weaker = levelAsked(flags.level ?? (isRecording ? STATEMENT_SNAPSHOTS : 'read-committed')).level.name;
  const statements = isRecording && path !== '-' ? await statementsIn(path) : new Map();
  const options = { weaker, stronger, boundary: flags.boundary, timeMs, statements };
  const found = await predictions(input.history, options).catch((error: unknown) => {
    if (error instanceof RangeError) throw new UsageError(`${visibleLine(path)}: ${error.message}`);
    throw error;
  });
  if (found.predictions.length > 0) printer.judged(ExitCode.Violated);
  const files = flags.out === undefined ? [] : await write(found, flags.out);
  if (flags.output === 'json') printer.out(toJson({ path, level: weaker, against: stronger, ...jsonOf(found), files }));
  else printer.out(await textOf(path, found, [levelInWords(weaker), levelInWords(stronger)], printer));
  if (found.predictions.length > 0) return ExitCode.Violated;
  return found.gaps.length === 0 ? ExitCode.Satisfied : ExitCode.Unknown;
}

/** READ COMMITTED of databases with snapshots: each statement sees the transactions committed before it. */
const STATEMENT_SNAPSHOTS = 'oracle-read-committed';

/** Writes the histories and their certificates; returns the paths. */
async function write({ predictions: all }: Predictions, folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const [i, { history, allowed, forbidden }] of all.entries()) {
    const name = join(folder, String(i + 1));
    await convert(history, `${name}.jsonl`, { to: 'isolab' });
    await writeFileTo(`${name}.allowed.json`, JSON.stringify(certificate(history, allowed)));
    await writeFileTo(`${name}.forbidden.json`, JSON.stringify(certificate(history, forbidden)));
    files.push(`${name}.jsonl`, `${name}.allowed.json`, `${name}.forbidden.json`);
  }
  return files;
}

const jsonOf = ({ predictions: all, gaps, tried, judged }: Predictions): object => ({
  predictions: all.map(({ anomaly, changes, programs, cut }) => ({ anomaly, changes, programs, cut })),
  gaps,
  tried,
  judged,
});

async function textOf(
  path: string,
  found: Predictions,
  [weaker, stronger]: readonly [string, string],
  printer: Printer,
): Promise<string> {
  const { predictions: all, gaps } = found;
  const head =
    all.length === 0
      ? `No other execution of these transactions is known that ${weaker} allows and ${stronger} forbids.`
      : `${count(all.length, 'kind')} of executions that ${weaker} allows and ${stronger} forbids:`;
  const missed = gaps.length === 0 ? [] : [`The search is incomplete: ${gaps.map((gap) => GAPS[gap]).join('; ')}.`];
  const parts = [];
  for (const [i, each] of all.entries()) parts.push(await tell(i + 1, each, printer));
  return [`${printer.style.bold(visibleLine(path))}: ${head}`, ...parts, ...missed].join('\n\n');
}

const GAPS: Readonly<Record<Predictions['gaps'][number], string>> = {
  time: '--time ended it',
  'distant versions': 'versions far from the recorded one were not tried',
  'undecided histories': 'some executions stayed undecided',
};

async function tell(number: number, { changes, cut, seen }: Prediction, printer: Printer): Promise<string> {
  const told = await story(seen.history, seen.forbidden, { commandWords: null });
  const changed = changes.map(
    ({ transaction, place, recorded, predicted, version }) =>
      `  ${transaction} (${place}) reads ${predicted}, ${version}, instead of ${recorded}`,
  );
  const ends = cut.map((name) => `  ${name} is cut: a later operation depends on a changed value`);
  return [
    `${number}. ${told === null ? '' : await tellBriefly(told, printer.style)}`,
    [...changed, ...ends].join('\n'),
  ].join('\n');
}
