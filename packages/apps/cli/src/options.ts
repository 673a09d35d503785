/** Description of a command, and the options that several commands share. */
import { Option } from 'commander';
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
  return new Option(flags, help).choices(choices).default(choices[0]);
}

/** May be given several times. */
export function repeated(flags: string, help: string, standard?: string): Option {
  const otherwise: readonly string[] = standard === undefined ? [] : [standard];
  return new Option(flags, help)
    .argParser((value, previous: readonly string[]) => [...(previous === otherwise ? [] : previous), value])
    .default(otherwise, standard ?? 'none');
}

/** The other end of what continues: `--for`, whose help says what it ends. */
export const until = (help: string): Option => new Option('--until <event>', help).choices(['violated']);

export const FORCE = option('--force', 'replace an existing file, whatever it is');
export const SET = repeated('--set <name=value>', 'set a parameter of the workload');
export const RETRY = option('--retry', 'attempt an aborted transaction again until it commits');
export const LEVEL = option('-l, --level <level>', 'check this level');
/** Option of the commands that otherwise write where git does not look. */
export const PUBLISH = option(
  '--publish',
  'write to what the repository keeps in reports/, instead of to reports/local/, which git ignores',
);
export const SCALE = choice('--scale <scale>', 'choose the scale', 'ci', 'laptop', 'paper');

export const READING: readonly Option[] = [
  option('--format <name>', 'read the input in this format', 'auto'),
  choice(
    '--failed-statements <reading>',
    'set what a failed statement in a committed transaction means',
    'published',
    'rollback',
  ),
  choice(
    '--initial-transaction <reading>',
    'set which transaction precedes all others: what the file states, the first one, or none',
    'stated',
    'first',
    'ordinary',
  ),
];

export const LIMITS: readonly Option[] = [
  option('--time <time>', 'limit the time of reading, and of each checker with its shrinking: 500ms, 60s, 10m'),
  option('--memory <size>', 'limit the memory of a checker: 500MB, 4GB'),
  option('--steps <n>', 'limit the steps of a checker, which do not depend on the machine'),
  option('--place <place>', 'run checkers in this place: thread, worker or process'),
];

export const ALLOWANCES: readonly Option[] = [
  option('--allow-vacuous', 'count a level as satisfied even if nothing in the history could have violated it'),
  option('--allow-cut-off', 'count a level as satisfied even if the history was cut off'),
];

export const ENGINE: readonly Option[] = [
  option('-c, --checker <name>', 'ask this checker: weave, plume, dbcop …, a file that exports one, or a package'),
  option('--variant <name>', 'use a variant of that checker'),
  repeated('--option <name=value>', 'set an option of that checker'),
];

export const VERDICTS: readonly Option[] = [
  ...ENGINE,
  option('--find-all', 'report every anomaly, each kind once with its count'),
  option('--shrink', 'reduce the violation to a minimal history'),
  option('--certificate <file>', 'write the evidence for the verdict, for isolab verify; exit with 2 if it has none'),
  option('--summary <file>', 'append the verdict as Markdown to a file, such as "$GITHUB_STEP_SUMMARY"'),
  ...ALLOWANCES,
];

export const VERDICT_OUTPUTS: readonly string[] = ['junit', 'markdown', 'html', 'svg', 'dot'];

export const WRITING: readonly Option[] = [
  option('--to <format>', 'write this format'),
  option('--allow-lossy [names]', 'write even if something is lost: everything, or only these losses, by commas'),
  option('--force', 'replace what exists, but never what is read'),
];

export const CONNECT_TIMEOUT = option(
  '--connect-timeout <time>',
  'give up connecting to a silent database after this time',
  '10s',
);

export const DATABASE: readonly Option[] = [
  repeated(
    '--db <address>',
    'connect to embedded, postgres@VERSION, postgres://…, mysql://…, sqlite:FILE, duckdb:FILE, mongodb://…, module:FILE, exec:COMMAND; several are nodes of one database, to which clients connect in turn',
    'embedded',
  ),
  repeated('--session-setup <sql>', 'begin every session with this statement, such as "SET lock_timeout = 100"'),
];

export const LAYOUT = option(
  '--layout <words>',
  'lay out keys in SQL tables otherwise: tables=3,index=value,read-by=key|index|scan|mixed,write=upsert|update',
);

export const FAULTS: readonly Option[] = [
  option(
    '--faults <kinds|file>',
    'strike the database meanwhile: kill, pause (servers that isolab starts), delay, cut, reset (connections by TCP), think (clients); or by a schedule, a file .json, or as a history was struck',
  ),
  option('--fault-every <time>', 'strike so often, on average', '2s'),
];

/** Options of a command that writes a history. */
export const WATCHING: readonly Option[] = [
  option(
    '--watch <levels>',
    'check these levels while the history is written, as isolab watch does; the log and the alarms are in OUT.watch',
  ),
  option('--page <address>', 'serve a live page of that check, and metrics for Prometheus at /metrics, at HOST:PORT'),
];

export const COLLECTING: readonly Option[] = [
  ...DATABASE,
  option('--isolation <level>', 'use the database’s own name of a level; its strongest one if absent'),
  option('--workload <name>', 'choose what clients do; isolab workloads lists them', 'contention'),
  SET,
  option('--sessions <n>', 'set the number of clients', '8'),
  option(
    '--transactions <n>',
    'set how many transactions each client commits, on average; 100, or any number with --for, if absent',
  ),
  option('--for <time>', 'begin no transaction after this time: 30s, 10m'),
  LAYOUT,
  option('--no-final-reads', 'leave out the reads of every key when all clients are done'),
  ...FAULTS,
  option('--seed <seed>', 'repeat the same requests', '1'),
  RETRY,
  option('--resume', 'continue an interrupted history, on the same data'),
  CONNECT_TIMEOUT,
  option('--stall-timeout <time>', 'stop after no session was answered for this time', '60s'),
  option('--force', 'overwrite the file'),
];
