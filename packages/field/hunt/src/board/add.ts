/** Puts the result of a hunt on the board. */
import { CollectorError } from '@isolab/collector';
import { PRIVATE, writeFileTo } from '@isolab/formats';
import { certificate, check, open, story, verify } from 'isolab';
import { escapeMarkdown } from 'isolab/stories';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { AGAIN } from '../trials/again.ts';
import { FINDING, type Finding, HISTORY, NARROW_PICTURE, STORY_PICTURE, drawStory } from '../trials/finding.ts';
import { readSettings } from '../trials/folder.ts';
import { TRANSACTIONS } from '../trials/results.ts';
import { INTERRUPTED, type Summary } from '../trials/summary.ts';
import { HELD, type Held, NO_STANDING, STANDING, type Standing, readBoard, read } from './entry.ts';

export interface AddOptions {
  readonly board: string;
  /** Name of the entry's folder; derived from the finding by default. */
  readonly name?: string;
  readonly controls: readonly string[];
  readonly known: readonly string[];
  /** Name of the anomaly in words, if it differs from the name of the violating part. */
  readonly title?: string;
  /** The reason why some histories of a hunt without findings have no verdict. */
  readonly undecided?: string;
  /**
   * A program without isolab that shows the same anomaly, and its output. A program in the board's repository is not
   * copied.
   */
  readonly confirmed?: { readonly program: string; readonly says: string };
}

/**
 * Adds the folder of a hunt or of a single finding, and reports the result. Known facts about a finding are kept, and
 * its folder on the board accepts further ones.
 */
export async function addToBoard(folder: string, options: AddOptions): Promise<string[]> {
  mkdirSync(options.board, { recursive: true });
  if (existsSync(join(folder, FINDING))) return [await addFinding(folder, options)];
  const summary = readSummary(folder);
  if (summary.verdict !== 'violated') return addWithoutFinding(folder, summary, options);
  const added: string[] = [];
  for (const name of summary.findings) added.push(await addFinding(join(folder, name), options));
  const others = summary.levels.filter(({ violated, undecided }) => violated + undecided === 0);
  return [...added, ...addHeld(folder, { ...summary, levels: others }, options)];
}

function readSummary(folder: string): Summary {
  const path = join(folder, 'summary.json');
  if (existsSync(path)) return read<Summary>(path);
  throw new CollectorError(`${folder} holds neither finding.json nor summary.json; expected a folder of isolab hunt.`);
}

/** Adds a hunt without a violation, which needs a reason for its histories without a verdict. */
function addWithoutFinding(folder: string, summary: Summary, options: AddOptions): string[] {
  // An interrupted hunt, or a hunt with only undecided histories, shows nothing, for any reason.
  const isOfUse = summary.undecided > 0 && summary.satisfied > 0 && summary.reason !== INTERRUPTED;
  if (summary.verdict === 'unknown' && (options.undecided === undefined || !isOfUse))
    throw new CollectorError(
      `The hunt in ${folder} has no verdict: ${summary.reason?.replace(/\.$/, '')}. It adds nothing to the board${isOfUse ? '; if the database is at fault, --note undecided=REASON puts the reason on the board' : ''}.`,
    );
  return addHeld(folder, summary, options);
}

/** Adds a line for each level, because the page totals the hunts of one database at one level. */
function addHeld(folder: string, summary: Summary, { board, undecided: why }: AddOptions): string[] {
  const { layout, faults } = readSettings(folder);
  const { database, description, seconds, drawing, seed, at } = summary;
  const share = (trials: number): number => Math.round((seconds * trials) / summary.trials);
  const of = summary.levels.filter(({ trials }) => trials > 0);
  const lines = of.map(({ isolation, level, trials, committed, undecided }): Held => ({
    database,
    description,
    isolation,
    level,
    ...(layout !== null && { layout }),
    ...(faults && { faults: faults.kinds.join(',') }),
    verdict: undecided > 0 ? 'unknown' : 'satisfied',
    trials,
    committed,
    seconds: share(trials),
    drawing,
    seed,
    at,
    ...(undecided > 0 && { undecided: { histories: undecided, why: why! } }),
  }));
  for (const held of lines) appendFileSync(join(board, HELD), `${JSON.stringify(held)}\n`, { mode: PRIVATE });
  return of.map(
    ({ isolation, undecided }) =>
      `${description} at ${isolation}: ${undecided > 0 ? `nothing found, ${undecided} without a verdict` : 'held'}`,
  );
}

async function addFinding(folder: string, options: AddOptions): Promise<string> {
  const finding = read<Finding>(join(folder, FINDING));
  const isThere = resolve(folder, '..') === resolve(options.board);
  const name = isThere ? basename(resolve(folder)) : (options.name ?? nameOf(finding));
  const target = join(options.board, name);
  const isOfSql = existsSync(join(folder, TRANSACTIONS));
  if (isOfSql && !isThere && options.confirmed === undefined)
    throw new CollectorError(
      `${folder} holds results without a certificate, so the board needs a program that shows them: --note program=FILE --note printed=TEXT.`,
    );
  if (!isThere) await copyFinding(folder, target);
  const standing = standingOf(target, options);
  if (!isOfSql) await certify(target, finding, standing.title);
  await writeFileTo(join(target, STANDING), `${JSON.stringify(standing, null, 2)}\n`);
  return name;
}

async function copyFinding(folder: string, target: string): Promise<void> {
  mkdirSync(target, { recursive: true });
  for (const file of ['shrunk.jsonl', 'story.md', STORY_PICTURE, NARROW_PICTURE, TRANSACTIONS, FINDING])
    if (existsSync(join(folder, file))) cpSync(join(folder, file), join(target, file));
  if (existsSync(join(folder, AGAIN))) cpSync(join(folder, AGAIN), join(target, AGAIN), { recursive: true });
  if (!existsSync(join(folder, 'history.jsonl'))) return;
  const history = await promisify(gzip)(readFileSync(join(folder, 'history.jsonl')), { level: 9 });
  // The usual file writer would compress the history again because of its name.
  if (history.length <= MOST_BYTES) writeFileSync(join(target, 'history.jsonl.gz'), history, { mode: PRIVATE });
}

/**
 * Checks the minimal part again, draws its story under the board's title, and writes the evidence that the verifier
 * accepts.
 */
async function certify(
  target: string,
  { level, transactions, shrunkTo }: Finding,
  title: string | undefined,
): Promise<void> {
  const part = await open(join(target, 'shrunk.jsonl'));
  const result = await check(part, { level });
  const evidence = result.verdict === 'violated' ? certificate(part, result) : null;
  if (evidence === null || !verify(part, evidence).ok)
    throw new CollectorError(`${target}/shrunk.jsonl does not violate ${level} by itself; shrink the finding first.`);
  await writeFileTo(join(target, 'certificate.json'), `${JSON.stringify(evidence)}\n`);
  const told = await story(part, { ...result, path: HISTORY });
  if (told === null) return;
  const shown = { ...told, title: title ?? told.title };
  await drawStory(target, { ...shown, hidden: { sessions: 0, ...told.hidden, transactions: transactions - shrunkTo } });
  const path = join(target, 'story.md');
  if (existsSync(path)) await writeFileTo(path, retitled(readFileSync(path, 'utf8'), shown.title));
}

/** Replaces the title of a story's Markdown in its heading and before its meaning. */
function retitled(markdown: string, title: string): string {
  const before = /^#+ (.*): \S+ is violated$/m.exec(markdown)?.[1];
  if (before === undefined) return markdown;
  return markdown.replaceAll(/^(#+ )?(.*?)(?=: )/gm, (start, hashes = '', name) =>
    name === before ? `${hashes}${escapeMarkdown(title)}` : start,
  );
}

function standingOf(target: string, { board, title, controls, known, confirmed }: AddOptions): Standing {
  const path = join(target, STANDING);
  const before = existsSync(path) ? read<Standing>(path) : NO_STANDING;
  const words = title ?? before.title;
  return {
    ...(words !== undefined && { title: words }),
    controls: controls.length > 0 ? controls.map((word) => controlOf(word, board)) : before.controls,
    known: known.length > 0 ? known : before.known,
    confirmed: confirmed ? { program: keptProgram(confirmed.program, target), says: confirmed.says } : before.confirmed,
  };
}

/**
 * Returns the program's path relative to the finding's folder; copies the program there unless it is in the same
 * repository.
 */
function keptProgram(program: string, target: string): string {
  const [repository, own] = [repositoryOf(target), repositoryOf(program)];
  if (repository !== null && repository === own) return relative(target, program).replaceAll(sep, '/');
  cpSync(program, join(target, basename(program)));
  return basename(program);
}

/** Finds the nearest parent folder that is a git repository; null if there is none. */
function repositoryOf(path: string): string | null {
  for (let folder = resolve(path); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, '.git'))) return folder;
  return null;
}

/** Parses `postgres@12.6`, or `hsqldb@2.7.4/locks serializable`: a database on the board, and one of its levels. */
function controlOf(word: string, board: string): Standing['controls'][number] {
  const { held, entries } = readBoard(board);
  const [database = '', ...rest] = word.split(' ');
  const isolation = rest.join(' ');
  const isSeen = (own: string | null): boolean =>
    entries.some(({ finding }) => finding.database.join(' ') === database && finding.isolation === own);
  const found = held.find(
    (each) =>
      each.database.join(' ') === database &&
      (isolation === '' || each.isolation === isolation) &&
      !isSeen(each.isolation),
  );
  if (found) return { database, isolation: found.isolation ?? '' };
  const there = held.map((each) => `${each.database.join(' ')} ${each.isolation}`).join(', ');
  throw new CollectorError(
    `The board has no hunt of ${word} without findings; it has ${there || 'none'}. Hunt this database first, and add that hunt.`,
  );
}

/** For example, "postgres-12.3-serializable-g2-item". */
const nameOf = ({ database, isolation, anomaly }: Finding): string =>
  [database[0]!.replace(/[?#].*$/, ''), isolation, anomaly ?? 'wrong-results']
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-');

/** Maximum size in bytes of a complete compressed history; a larger history is not copied to the board. */
const MOST_BYTES = 200_000;
