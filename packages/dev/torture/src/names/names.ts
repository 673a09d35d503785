import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Random } from '@isolab/workloads';
import { type Said, callOf } from '../suite/call.ts';
import { type Report, type Suite, reportAttempt } from '../suite/suite.ts';
import { type Place, historyAt, labOf, pluginOf } from './files.ts';
import { hostileName, hostileText } from './hostile.ts';
import { whyNoCommand, whyNoDot, whyNoJson, whyNoJunit, whyNoMarkup, whyUnsafe } from './judge.ts';

/** Tries hostile names of files, keys, values, sessions, transactions, plug-ins and results in every output. */
export const names: Suite = {
  name: 'names',
  title: 'hostile names and texts in every output: none controls a terminal, a job, a page or a shell',
  short: 60,
  long: 20_000,
  run: async (count, seed, report) => {
    const ways = Object.entries(WAYS);
    for (let i = 0; i < count; i++) {
      const [kind, way] = ways[i % ways.length]!;
      await attempt(kind, way, new Random(`${seed}/${i}`), `--seed ${seed}, attempt ${i}`, report);
    }
  },
};

async function attempt(kind: string, way: Way, random: Random, which: string, report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-names-'));
  const place = {
    folder,
    random,
    text: () => hostileText(random),
    path: (): string => join(folder, hostileName(random)),
  };
  const tried = async (): Promise<string | null> =>
    (await way(place)) ?? (existsSync(join(folder, 'pwned')) ? 'a command of the input was executed' : null);
  await reportAttempt(report, kind, tried, () => `  (${which})`);
  rmSync(folder, { recursive: true, force: true });
}

/** Runs a command with hostile names; returns the problem with its output, or null. */
type Way = (place: Place) => Promise<string | null>;

const WAYS: Readonly<Record<string, Way>> = {
  'check as text': (place) => checked(place, [], () => null),
  'check --shrink': (place) => checked(place, ['--shrink'], () => null),
  'check --find-all': (place) => checked(place, ['--find-all'], () => null),
  'check --level all': (place) => checked(place, ['--level', 'all'], () => null, [0]),
  'check as JSON': (place) => checked(place, ['--shrink', '--output', 'json'], whyNoJson),
  'check as JUnit': (place) => checked(place, ['--output', 'junit'], whyNoJunit),
  'check as Markdown': (place) =>
    checked(place, ['--output', 'markdown'], (out, path) => whyNoCommand(out, false, path, place.folder)),
  'check as a page': (place) =>
    checked(
      place,
      ['--output', 'html'],
      (out, path) => whyNoMarkup(out, true) ?? whyNoCommand(out, true, path, place.folder),
    ),
  'check as SVG': (place) => checked(place, ['--output', 'svg'], (out) => whyNoMarkup(out, false)),
  'check as DOT': (place) => checked(place, ['--output', 'dot'], whyNoDot),
  'check --summary': async (place) => {
    const summary = place.path();
    const problem = await checked(place, ['--summary', summary], () => null);
    if (problem !== null) return problem;
    const text = readFileSync(summary, 'utf8');
    return whyUnsafe(text) ?? (text.startsWith('## ') ? null : `no heading: ${text.slice(0, 80)}`);
  },
  stats: (place) => onHistory(place, (path) => ['stats', path], [0]),
  'stats as JSON': (place) => onHistory(place, (path) => ['stats', path, '--output', 'json'], [0], whyNoJson),
  view: (place) =>
    onHistory(place, (path) => ['explain', path, place.path(), '--to', 'html', '--level', 'serializable'], [1]),
  'view to standard output': (place) =>
    onHistory(
      place,
      (path) => ['explain', path, '-', '--to', 'html', '--level', 'serializable'],
      [1],
      (out) => whyNoMarkup(out, true),
    ),
  shrink: (place) => onHistory(place, (path) => ['explain', path, place.path(), '--level', 'serializable'], [1]),
  compare: (place) =>
    onHistory(place, (path) => ['check', path, '--level', 'serializable', '--checker', 'weave,cobra'], [1]),
  elle: (place) => onHistory(place, (path) => ['elle', path, '--model', 'rw-register'], [0, 1, 2]),
  convert: (place) => onHistory(place, (path) => ['convert', path, place.path(), '--to', 'text'], [0, 3]),
  'certificates of a hostile path': async (place) => {
    const certificate = place.path();
    const problem = await checked(place, ['--certificate', certificate], () => null);
    if (problem !== null) return problem;
    const other = JSON.parse(readFileSync(certificate, 'utf8')) as Record<string, unknown>;
    writeFileSync(certificate, JSON.stringify({ ...other, checker: place.text(), level: place.text() }));
    return onHistory(place, (path) => ['verify', path, certificate], [1, 2, 3]);
  },
  'a missing file': (place) => refused(place, (path) => ['check', path, '--level', 'serializable']),
  'a file of nonsense': (place) =>
    refused(place, (path) => {
      writeFileSync(path, place.text());
      return ['check', path, '--level', 'serializable'];
    }),
  'a broken line': (place) =>
    refused(place, (path) => {
      const line = { session: place.text(), ops: [[place.text(), place.text()]] };
      writeFileSync(path, `{"isolab":"history","version":1}\n${JSON.stringify(line)}\n`);
      return ['stats', path, '--format', 'isolab'];
    }),
  'arguments of a call': (place) =>
    refused(place, (path) => {
      const { random } = place;
      const flag = random.pick(['--level', '--checker', '--format', '--output', '--option', '--time']);
      return ['check', historyAt(path, place), '--level', 'serializable', flag, place.text()];
    }),
  'an unknown command': (place) => refused(place, () => [`x${place.text()}`]),
  'a word of collect': (place) =>
    refused(place, (path) => {
      const flag = place.random.pick(['--db', '--workload', '--isolation', '--set', '--sessions']);
      return ['collect', path, '--db', 'exec:false', flag, `x${place.text()}`];
    }),
  'a plug-in’s texts': async (place) => {
    const plugin = join(place.folder, 'plugin.mjs');
    writeFileSync(plugin, pluginOf(place));
    return checked(place, ['--checker', plugin, '--place', 'thread'], () => null, [0, 1, 2]);
  },
  'a plug-in that is not a checker': async (place) => {
    const plugin = join(place.folder, `${hostileName(place.random)}.mjs`);
    const info = { apiVersion: 1, name: place.text(), levels: [place.text()], requires: [place.text()] };
    writeFileSync(plugin, `export default { info: ${JSON.stringify(info)}, check: 1 };`);
    return checked(place, ['--checker', plugin], () => null, [3]);
  },
  'output of a plug-in': async (place) => {
    writeFileSync(join(place.folder, 'plugin.mjs'), pluginOf(place));
    const where = place.random.pick(['process', 'worker']);
    // A plug-in may print whole lines of its own on standard error.
    return inShell(place, ['--checker', './plugin.mjs', '--place', where], [0, 1, 2], { ownLines: true });
  },
  'a name that begins with a dash': (place) => inShell(place, ['--output', 'markdown'], [1], { begin: '-' }),
  'messages of a program beside a database': async (place) => {
    const says = JSON.stringify(place.text());
    const client = `console.error(${says}); process.stdin.once('data', () => { console.log(JSON.stringify({ error: ${says} })); process.exit(3); });`;
    writeFileSync(join(place.folder, 'client.mjs'), `${client}\n`);
    const said = command(place, ['collect', 'h.jsonl', '--db', 'exec:node client.mjs', '--sessions', '1']);
    // A plug-in may print whole lines of its own on standard error.
    return whyWrong(said, [2, 3], true);
  },
  'results of a bench': async (place) => {
    const root = labOf(place);
    const said = await isolab(place, ['bench', 'report', '--root', root, '--skip', 'png']);
    const wrong = whyWrong(said, [0, 3]);
    if (wrong !== null || said.code === 3) return wrong;
    const pages = join(root, 'reports', 'local', 'ci');
    for (const page of ['index', 'summary', 'leaderboard', 'p/f']) {
      const text = readFileSync(join(pages, `${page}.html`), 'utf8');
      const problem = whyUnsafe(text, false) ?? whyNoMarkup(text, true);
      if (problem !== null) return `${page}: ${problem}`;
    }
    for (const file of ['summary.md', 'p/f.md', 'p/f.svg', 'p/f.csv']) {
      const text = existsSync(join(pages, file)) ? readFileSync(join(pages, file), 'utf8') : '';
      const problem = whyUnsafe(text.replaceAll('\r\n', '\n'), false);
      if (problem !== null) return `${file}: ${problem}`;
    }
    return null;
  },
};

/** Checks a hostile history in this process; it violates serializability. */
const checked = (
  place: Place,
  flags: readonly string[],
  judge: (out: string, path: string) => string | null,
  codes: readonly number[] = [1],
): Promise<string | null> =>
  onHistory(place, (path) => ['check', path, '--level', 'serializable', ...flags], codes, judge);

async function onHistory(
  place: Place,
  args: (path: string) => readonly string[],
  codes: readonly number[],
  judge: (out: string, path: string) => string | null = () => null,
): Promise<string | null> {
  const path = historyAt(place.path(), place);
  const said = await isolab(place, args(path));
  return whyWrong(said, codes) ?? judge(said.out, path);
}

async function refused(place: Place, args: (path: string) => readonly string[]): Promise<string | null> {
  return whyWrong(await isolab(place, args(place.path())), [0, 1, 2, 3]);
}

function whyWrong({ code, out, err }: Said, codes: readonly number[], ownLines = false): string | null {
  if (!codes.includes(code)) return `it ended with ${code}, expected ${codes.join(' or ')}: ${err}`;
  if (err.includes('bug in isolab')) return err;
  return whyUnsafe(out) ?? whyUnsafe(err, !ownLines);
}

/** Calls the command in this process, with colours or without. */
const isolab = ({ random }: Place, args: readonly string[]): Promise<Said> => callOf(args, random.chance(0.5));

/** Calls the command in its own process in the folder, as a shell does. */
async function inShell(
  place: Place,
  flags: readonly string[],
  codes: readonly number[],
  { begin = '', ownLines = false },
): Promise<string | null> {
  const name = `${begin}${hostileName(place.random)}`;
  historyAt(join(place.folder, name), place);
  const said = command(place, ['check', '--level', 'serializable', ...flags, '--', name]);
  const wrong = whyWrong(said, codes, ownLines);
  return wrong ?? (flags.includes('markdown') ? whyNoCommand(said.out, false, name, place.folder) : null);
}

function command({ folder }: Place, args: readonly string[]): Said {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  return { code: status ?? -1, out: stdout, err: stderr };
}

const MAIN = fileURLToPath(new URL('../../../../apps/cli/isolab.cjs', import.meta.url));
