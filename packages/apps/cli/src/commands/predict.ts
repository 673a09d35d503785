import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { driverFor, isolationNamed } from '@isolab/collector';
import {
  BOUNDARIES,
  type Boundary,
  type Confirmation,
  type Predictions,
  predict as predictions,
} from '@isolab/predict';
import { levelsIn, statementsIn } from '@isolab/record/statements';
import { writeFileTo } from 'isolab/formats';
import { implies, visibleLine } from 'isolab/skin';
import { certificate, convert } from 'isolab';
import type { LevelName } from 'isolab/check';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { parseTime } from '../terminal/limits.ts';
import {
  type CommandFlags,
  type CommandModule,
  CONNECT_TIMEOUT,
  DATABASE,
  FORCE,
  LEVEL,
  OUT_FOLDER,
  READING,
  TIME,
  repeated,
  option,
} from '../terminal/options.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { progressLine } from '../terminal/progress.ts';
import { claimFiles, filesIn, refuseTextFile, writeJson } from '../terminal/outputs-asked.ts';
import { makeFolder } from '../terminal/targets.ts';
import { levelAsked, parseOptions, wholeNumber } from '../terminal/words.ts';
import { type Confirmed, confirmAll, confirmByCommand } from '../verdicts/confirm-predictions.ts';
import { openPath } from '../verdicts/open.ts';
import { type Levels, type Searched, partsOf, storiesOf, writePage } from '../verdicts/predictions.ts';
import { tellLogged } from '../verdicts/tell-logged.ts';

const OPTIONS = [
  ...READING,
  LEVEL('predict executions that this level allows; READ COMMITTED if absent'),
  option('--against <level>', 'and that this level forbids', 'serializable'),
  repeated('--option <name=value>', 'set boundary=data-flow, relaxed or strict, or changes=N: tried changed reads'),
  TIME('limit the time of reading, of the search and of stories', '60s'),
  option('--confirm', 'replay each prediction on the database of --db, or with the command'),
  ...DATABASE,
  CONNECT_TIMEOUT,
  OUT_FOLDER('write histories, certificates and replays to FOLDER'),
  FORCE,
] as const;
type PredictFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: [
    'isolab predict shop.jsonl --level read-committed',
    'isolab predict shop.jsonl --confirm --db postgres@18.4 --out predicted -- npm test',
  ],
  options: OPTIONS,
  outputs: ['html'],
  hasFiles: true,
  run: predict,
};

/** `isolab predict`: prints executions of the recorded transactions that one level allows and another forbids. */
export async function predict(
  path: string,
  words: readonly string[],
  flags: PredictFlags,
  printer: Printer,
): Promise<number> {
  insistOnUse(path, words, flags);
  const stronger = levelAsked(flags.against).level.name;
  const ends = performance.now() + parseTime(flags.time);
  const chosen = optionsIn(flags.option);
  if (flags.output === 'html') throw new UsageError('--output html lacks a file name; expected html=FILE.');
  const asked = levelAsked(flags.level ?? 'read-committed').level.name;
  refuseTextFile(flags);
  claimFiles(flags.files ?? [], { inputs: [path], force: flags.force });
  const ofPrediction = Object.entries({
    '--out': flags.out !== undefined,
    '--confirm': flags.confirm === true,
    '--output html': pageOf(flags) !== undefined,
    '--option': flags.option.length > 0,
    '--against': stronger !== 'serializable',
  }).find(([, isGiven]) => isGiven)?.[0];
  const told = await tellLogged(
    { path, weaker: asked, output: flags.output, files: flags.files ?? [], ofPrediction },
    printer,
  );
  if (told !== null) return told;
  if (flags.out !== undefined) makeFolder(flags.out, { inputs: [path], force: flags.force });
  const input = await openPath(path, flags);
  if (input.kind === 'polygraph') throw new UsageError(`${path} is a polygraph, expected a history.`);
  const isRecording = input.history.source.hiddenColumns !== undefined;
  const weaker = levelAsked(flags.level ?? (isRecording ? STATEMENT_SNAPSHOTS : 'read-committed')).level.name;
  const isOneRecording = isRecording && (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false);
  const statements = isOneRecording ? await statementsIn(path) : new Map();
  const levels = isOneRecording && flags.level === undefined ? await levelsIn(path) : new Map();
  if (words.length > 0 && statements.size === 0)
    throw new UsageError(`A command needs the file of isolab record; ${path} has no statements.`);
  const left = Math.max(1, ends - performance.now());
  const timeMs = left - Math.min(left / 10, MOST_FOR_STORIES_MS);
  const options = { weaker, stronger, ...chosen, furtherMs: FURTHER_MS, timeMs, statements, levels };
  if (implies(weaker, stronger))
    throw new UsageError(`No execution is allowed by ${weaker} and forbidden by ${stronger}, which it implies.`);
  const isolation = flags.confirm === true && words.length === 0 ? await isolationFor(weaker, flags) : '';
  const progress = progressLine((tried, kinds) => `predicting from ${path}: ${tried} tried, ${count(kinds, 'kind')}`);
  const search = (signal: AbortSignal): Promise<Searched> =>
    predictions(input.history, { ...options, signal, onProgress: progress.show })
      .then(async (found) => ({ ...found, repaired: await found.repairs() }))
      .catch((error: unknown) => {
        if (error instanceof RangeError) throw new UsageError(`${visibleLine(path)}: ${error.message}`);
        throw error;
      })
      .finally(progress.clear);
  // The first Ctrl-C ends the search or the replays; the found predictions are still written and printed.
  printer.takesItsTime?.();
  return printer.interruptible(async (signal) => {
    const found = await search(signal);
    const forStoriesMs = ends - performance.now();
    return finish(path, found, { weaker, stronger, isolation, words, forStoriesMs }, flags, printer);
  });
}

/** Refuses options that would have no effect. */
function insistOnUse(path: string, words: readonly string[], flags: PredictFlags): void {
  const hasCommand = words.length > 0;
  const isConfirmed = flags.confirm === true;
  const found = Object.entries({
    [`The command ${words.join(' ')} needs --confirm.`]: hasCommand && !isConfirmed,
    'A command needs a file, because its statements are read again.': hasCommand && path === '-',
    'A command chooses its own levels; leave out --isolation.': hasCommand && flags.isolation !== undefined,
    'A command makes its own sessions; leave out --session-setup.': hasCommand && flags.sessionSetup.length > 0,
    'A command uses one database; name one with --db.': hasCommand && flags.db.length > 1,
    '--db needs --confirm.': !isConfirmed && flags.db !== DATABASE[0].defaultValue,
    '--isolation needs --confirm.': !isConfirmed && flags.isolation !== undefined,
    '--session-setup needs --confirm.': !isConfirmed && flags.sessionSetup.length > 0,
    '--connect-timeout needs --confirm.': !isConfirmed && flags.connectTimeout !== CONNECT_TIMEOUT.defaultValue,
  }).find(([, isWrong]) => isWrong);
  if (found !== undefined) throw new UsageError(found[0]);
}

/** Writes, replays and prints the predictions; returns the exit code. */
async function finish(
  path: string,
  found: Searched,
  levels: Levels & { readonly isolation: string; readonly words: readonly string[]; readonly forStoriesMs: number },
  flags: PredictFlags,
  printer: Printer,
): Promise<number> {
  const code =
    found.predictions.length > 0 || found.isRecordedForbidden
      ? ExitCode.Violated
      : found.gaps.length === 0
        ? ExitCode.Satisfied
        : ExitCode.Unknown;
  printer.judged(code);
  const files = flags.out === undefined ? [] : await write(found, flags.out);
  const none: Confirmed = { outcomes: [], failure: null };
  const { weaker: level, stronger: against, words } = levels;
  const confirmed = (): Promise<Confirmed> =>
    words.length > 0
      ? confirmByCommand(found, { path, words, stronger: against }, flags, printer)
      : confirmAll(found, levels, flags, printer);
  const { outcomes, failure } = flags.confirm === true ? await confirmed() : none;
  const page = pageOf(flags);
  const storyOf = storiesOf(found, performance.now() + levels.forStoriesMs);
  if (page !== undefined) await writePage(page, path, found, outcomes, levels, storyOf);
  const json = toJson({ path, level, against, ...jsonOf(found, outcomes), files });
  await writeJson(json, flags);
  if (flags.output === 'json') printer.out(json);
  else for await (const part of partsOf(path, found, outcomes, levels, storyOf, printer)) printer.out(part);
  if (page !== undefined) printer.note(`The page is ${visibleLine(page)}.`);
  if (failure !== null) throw failure;
  return code;
}

const pageOf = (flags: PredictFlags): string | undefined => filesIn('html', flags)[0];

/** READ COMMITTED of databases with snapshots: each statement sees the transactions committed before it. */
const STATEMENT_SNAPSHOTS = 'oracle-read-committed';

/** Time for the stories of predictions, at most a tenth of all. */
const MOST_FOR_STORIES_MS = 5000;

/** Time for sets of more changed reads than `changes`. */
const FURTHER_MS = 5000;

function optionsIn(pairs: readonly string[]): { readonly boundary: Boundary; readonly mostChanges: number } {
  const { boundary = BOUNDARIES[0], changes = '2', ...others } = parseOptions(pairs);
  const [other] = Object.keys(others);
  if (other !== undefined) throw new UsageError(`--option knows boundary and changes, not ${other}.`);
  const found = BOUNDARIES.find((name) => name === boundary);
  if (found === undefined) throw new UsageError(`The boundary is ${boundary}; expected ${BOUNDARIES.join(', ')}.`);
  return { boundary: found, mostChanges: wholeNumber('--option changes', changes) };
}

/** Returns the database's name for the level of the predictions, unless `--isolation` names one. */
async function isolationFor(weaker: LevelName, { isolation, db }: PredictFlags): Promise<string> {
  const driver = await driverFor(db[0]!);
  const { isolations } = driver;
  if (isolation !== undefined) return isolationNamed(driver, isolation).name;
  const claimed = weaker === STATEMENT_SNAPSHOTS ? 'read-committed' : weaker;
  const found = isolations.find(({ claims }) => claims === claimed);
  if (found !== undefined) return found.name;
  const names = isolations.map(({ name, claims }) => `${name} (${claims})`).join(', ');
  throw new UsageError(`No level of the database claims ${weaker}; choose one with --isolation: ${names}.`);
}

/** Writes the histories and their certificates in place of those of an earlier run; returns the paths. */
async function write({ predictions: all }: Predictions, folder: string): Promise<string[]> {
  for (const name of readdirSync(folder)) if (WRITTEN.test(name)) rmSync(join(folder, name), { recursive: true });
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

const WRITTEN = /^[1-9]\d*\.(?:jsonl|(?:allowed|forbidden|run)\.json|run\.jsonl|replay)$/;

const jsonOf = (
  { predictions: all, covered, gaps, leftOut, tried, judged, isRecordedForbidden, repaired }: Searched,
  confirmed: readonly Confirmation[],
): object => ({
  predictions: all.map(({ anomaly, changes, programs, cut }, i) => ({
    anomaly,
    changes,
    programs,
    cut,
    ...(i < confirmed.length && { confirmed: confirmed[i] }),
  })),
  repairs: repaired.repairs,
  robustLevels: repaired.robust,
  ...(repaired.why !== null && { noRepair: repaired.why }),
  isRecordedForbidden,
  /** Null if all sets of changed reads were tried. */
  coveredChanges: covered === Infinity ? null : covered,
  gaps,
  leftOut,
  tried,
  judged,
});
