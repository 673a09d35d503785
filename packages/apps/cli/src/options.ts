/** Description of a command, and the options that several commands share. */
import { InvalidArgumentError, Option } from 'commander';
import type { Printer } from './print.ts';

/** Runs a command line and returns its exit code. */
export type RunLine = (args: readonly string[], printer: Printer) => Promise<number>;

/** Export `command` of each file in commands/. */
export interface CommandModule {
  /** Two command lines as people type them, at the end of the help. */
  readonly examples: readonly [string, string];
  readonly options: readonly Option[];
  /** Forms of output besides text and JSON. */
  readonly outputs?: readonly string[];
  /** Whether several forms may be asked for at once, some of them in files. */
  readonly hasFiles?: boolean;
  /** Takes the words of the usage, the flags, the printer and the way to run another command line. */
  readonly run: (...given: never[]) => number | Promise<number>;
}

export function option(flags: string, help: string, standard?: string): Option {
  return new Option(flags, help).default(standard);
}

/** The first choice is the default. */
export function choice(flags: string, help: string, ...choices: readonly string[]): Option {
  return new Option(flags, `${help}: ${choices.join(', ')}`).choices(choices).default(choices[0]);
}

/** May be given several times. */
export function repeated(flags: string, help: string, standard?: string): Option {
  const otherwise: readonly string[] = standard === undefined ? [] : [standard];
  return new Option(flags, help)
    .argParser((value, previous: readonly string[]) => [...(previous === otherwise ? [] : previous), value])
    .default(otherwise, standard);
}

/** Option that takes some of the known words, separated by commas or in several flags. */
export function some(flags: string, help: string, ...known: readonly string[]): Option {
  const parse = (words: string, previous: readonly string[]): readonly string[] => {
    const unknown = words.split(',').find((word) => !known.includes(word));
    if (unknown !== undefined) throw new InvalidArgumentError(`Allowed choices are ${known.join(', ')}.`);
    return [...previous, ...words.split(',')];
  };
  return new Option(flags, `${help}: ${known.join(', ')}`).argParser(parse).default([]);
}

/** Events that end a command, besides `--for`. */
export const until = (help: string, ...events: readonly string[]): Option =>
  some('--until <event>', help, 'violated', ...events);

export const skip = (...parts: readonly string[]): Option => some('--skip <parts>', 'leave out parts', ...parts);

export const FORCE = option('--force', 'replace existing files, but never inputs');
export const SET = repeated('--set <name=value>', 'set a parameter of the workload');
export const RETRY = option('--retry', 'repeat aborted transactions until they commit');
export const OUT_FOLDER = (help: string): Option => option('--out <folder>', help);
/** Option of the commands that otherwise write where git does not look. */
export const PUBLISH = option('--publish', 'write into reports/, not into reports/local/, which git ignores');
export const SCALE = choice('--scale <scale>', 'choose the scale', 'ci', 'laptop', 'paper');
export const ROOT = option('--root <folder>', 'find benchmarks/, datasets/ and reports/ in FOLDER');
export const TOOLS = option('--tools <file>', 'read the published programs from FILE, not benchmarks/tools.json');
export const QUEUE = (help: string): Option => option('--queue <address>', `${help} redis://HOST:PORT`);
export const FOR = (help: string, standard?: string): Option => option('--for <time>', help, standard);
export const SEED = (help: string, standard?: string): Option => option('--seed <seed>', help, standard);
export const LEVEL = (help = 'check this level', standard?: string): Option =>
  option('-l, --level <level>', help, standard);
export const TIME = (help: string, standard?: string): Option => option('--time <time>', help, standard);
export const TO = (help: string): Option => option('--to <format>', help);
export const TRIALS = (help: string, standard?: string): Option => option('--trials <n>', help, standard);
export const SCHEDULES = (help: string, standard: string): Option => option('--schedules <n>', help, standard);
export const TRANSACTIONS = (help: string, standard?: string): Option => option('--transactions <n>', help, standard);
export const RESUME = (help: string): Option => option('--resume', help);
export const TRUST = (what: string, help: string): Option => option(`--trust <${what}>`, help);
export const MODEL = (help: string): Option => option('--model <model>', help);

export const READING: readonly Option[] = [
  option('--format <name>', 'read the input in this format', 'auto'),
  choice('--failed-statements <reading>', 'read failed statements of commits as', 'published', 'rollback'),
  choice('--initial-transaction <reading>', 'choose the first transaction', 'stated', 'first', 'ordinary'),
];

export const LIMITS: readonly Option[] = [
  TIME('limit reading, and each checker, to 500ms, 60s, 10m'),
  option('--memory <size>', 'limit each checker to 500MB, 4GB'),
  option('--steps <n>', 'limit each checker to N steps, the same on all machines'),
  option('--place <place>', 'run checkers in a thread, worker or process'),
];

export const ALLOWANCES: readonly Option[] = [
  option('--allow-vacuous', 'accept levels that no part of the history could violate'),
  option('--allow-cut-off', 'accept histories that were cut off'),
];

export const ENGINE: readonly Option[] = [
  option('-c, --checker <names>', 'ask NAME, NAME:VARIANT or a FILE; compare several, or all'),
  repeated('--option <name=value>', 'set an option of that checker'),
];

export const VERDICTS: readonly Option[] = [
  ...ENGINE,
  option('--find-all', 'count every kind of anomaly'),
  option('--shrink', 'reduce the violation to a minimal history'),
  option('--certificate <file>', 'write the evidence for isolab verify; exit with 2 without any'),
  option('--summary <file>', 'append the verdict as Markdown, as to "$GITHUB_STEP_SUMMARY"'),
  ...ALLOWANCES,
];

export const VERDICT_OUTPUTS: readonly string[] = ['junit', 'markdown', 'html', 'svg', 'dot'];

export const LOSSY = option('--allow-lossy [names]', 'accept all losses, or these: times,key-names');
export const WRITING: readonly Option[] = [TO('write this format'), LOSSY, FORCE];

export const CONNECT_TIMEOUT = option('--connect-timeout <time>', 'wait for a silent database this long', '10s');
export const STALL_TIMEOUT = (standard: string): Option =>
  option('--stall-timeout <time>', 'stop if no session is answered for this time', standard);
export const SESSION_SETUP = repeated('--session-setup <sql>', 'begin every session with this statement');
export const ISOLATION = option(
  '--isolation <level>',
  'use this level, by the database’s name; the strongest if absent',
);

export const DATABASE: readonly Option[] = [
  repeated('--db <address>', 'use ENGINE@VERSION or ADDRESS; repeat it for more nodes', 'embedded'),
  SESSION_SETUP,
  ISOLATION,
];

export const LAYOUT = option('--layout <words>', 'lay out keys: tables=3,index=value,read-by=scan,write=update');

export const FAULTS: readonly Option[] = [
  option('--faults <kinds|file>', 'inject kill, pause, delay, cut, reset, think; or a schedule'),
  option('--fault-every <time>', 'inject a fault at this interval, on average', '2s'),
];

/** Options of a command that writes a history. */
export const WATCHING: readonly Option[] = [
  option('--watch <levels>', 'check these levels meanwhile; the log is in OUT.watch'),
  option('--page <address>', 'serve a live page, and /metrics, at HOST:PORT'),
];

export const COLLECTING: readonly Option[] = [
  ...DATABASE,
  option('--workload <name>', 'run a workload of isolab list workloads', 'contention'),
  SET,
  option('--sessions <n>', 'run N clients', '8'),
  TRANSACTIONS('commit N per client; 100 if absent, unlimited with --for'),
  FOR('begin no transaction after this time: 30s, 10m'),
  LAYOUT,
  skip('final-reads'),
  ...FAULTS,
  SEED('repeat the same requests', '1'),
  RETRY,
  RESUME('continue an interrupted history, on the same data'),
  CONNECT_TIMEOUT,
  STALL_TIMEOUT('60s'),
  FORCE,
];
