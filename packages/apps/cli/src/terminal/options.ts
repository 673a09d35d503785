/** Description of a command, and options that several commands share. */
import { InvalidArgumentError, Option } from 'commander';
import type { OutputsAsked } from './outputs-asked.ts';
import type { Printer } from './print.ts';

/** Runs a command line and returns its exit code. */
export type RunLine = (args: readonly string[], printer: Printer) => Promise<number>;

/** Export `command` of each file in commands/. */
export interface CommandModule {
  /** Two command lines for the end of the help. */
  readonly examples: readonly [string, string];
  readonly options: readonly Option[];
  /** Forms of output besides text and JSON. */
  readonly outputs?: readonly string[];
  /** Whether the option accepts several forms, each with its own file. */
  readonly hasFiles?: boolean;
  /** Receives the arguments, the flags, the printer and a function that runs another command line. */
  readonly run: (...given: never[]) => number | Promise<number>;
}

/** Option that sets `Sets` among the flags of its command. */
export class Flag<Sets> extends Option {
  /** For types only: a parameter, so that the flags of a list are the union of its options' flags. */
  declare readonly sets: (flags: Sets) => void;
}

type Camel<Words extends string> = Words extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Words;
/** Name of a flag: `sessionSetup` of `--session-setup <sql>`. */
type NameIn<Spelled extends string> = Spelled extends `${string}--${infer Long} ${string}`
  ? Camel<Long>
  : Spelled extends `${string}--${infer Long}`
    ? Camel<Long>
    : never;
type ValueIn<Spelled extends string> = Spelled extends `${string}[${string}`
  ? string | boolean
  : Spelled extends `${string}<${string}`
    ? string
    : boolean;
type Given<Spelled extends string, Value> = { readonly [Name in NameIn<Spelled>]: Value };
type Single<Spelled extends string, Standard> = Standard extends string
  ? Given<Spelled, ValueIn<Spelled>>
  : { readonly [Name in NameIn<Spelled>]?: ValueIn<Spelled> };

/** Flags that a list of options sets. */
export type FlagsIn<List extends readonly Flag<never>[]> = List[number] extends Flag<infer Sets> ? Sets : never;

/** Flags of a command, including those that every command has. */
export type CommandFlags<List extends readonly Flag<never>[]> = FlagsIn<List> &
  OutputsAsked & { readonly verbose?: boolean };

export const option = <const Spelled extends string, Standard extends string | undefined = undefined>(
  flags: Spelled,
  help: string,
  standard?: Standard,
): Flag<Single<Spelled, Standard>> => new Flag<Single<Spelled, Standard>>(flags, help).default(standard);

/** Option with a different help text in each command. */
const shared =
  <const Spelled extends string>(flags: Spelled) =>
  <Standard extends string | undefined = undefined>(help: string, standard?: Standard) =>
    option(flags, help, standard);

/** Option with choices; the first one is the default. */
export const choice = <const Spelled extends string, const Choice extends string>(
  flags: Spelled,
  help: string,
  ...choices: readonly Choice[]
): Flag<Given<Spelled, Choice>> =>
  new Flag<Given<Spelled, Choice>>(flags, `${help}: ${choices.join(', ')}`).choices(choices).default(choices[0]);

type Many<Spelled extends string> = Flag<Given<Spelled, readonly string[]>>;

/** Option that may be given several times. */
export function repeated<const Spelled extends string>(flags: Spelled, help: string, standard?: string): Many<Spelled> {
  const otherwise: readonly string[] = standard === undefined ? [] : [standard];
  return (new Flag(flags, help) as Many<Spelled>)
    .argParser((value, previous: readonly string[]) => [...(previous === otherwise ? [] : previous), value])
    .default(otherwise, standard);
}

/** Option that accepts some of the known words, separated by commas or in several flags. */
export function some<const Spelled extends string>(
  flags: Spelled,
  help: string,
  ...known: readonly string[]
): Many<Spelled> {
  const parse = (words: string, previous: readonly string[]): readonly string[] => {
    const unknown = words.split(',').find((word) => !known.includes(word));
    if (unknown !== undefined) throw new InvalidArgumentError(`Allowed choices are ${known.join(', ')}.`);
    return [...previous, ...words.split(',')];
  };
  return (new Flag(flags, `${help}: ${known.join(', ')}`) as Many<Spelled>).argParser(parse).default([]);
}

/** Option for events that end a command, besides `--for`. */
export const until = (help: string, ...events: readonly string[]) =>
  some('--until <event>', help, 'violated', ...events);

export const skip = (...parts: readonly string[]) => some('--skip <parts>', 'leave out parts', ...parts);

export const FORCE = option('--force', 'replace existing files, but never inputs');
export const SET = repeated('--set <name=value>', 'set a parameter of the workload');
export const RETRY = option('--retry', 'repeat aborted transactions until they commit');
export const OUT_FOLDER = shared('--out <folder>');
/** Option of commands that otherwise write to a folder that git ignores. */
export const PUBLISH = option('--publish', 'write to reports/, not to reports/local/, which git ignores');
export const SCALE = choice('--scale <scale>', 'choose the scale', 'ci', 'laptop', 'paper');
export const ROOT = option('--root <folder>', 'find benchmarks/, datasets/ and reports/ in FOLDER');
export const TOOLS = option('--tools <file>', 'read the published programs from FILE, not benchmarks/tools.json');
export const QUEUE = (help: string) => option('--queue <address>', `${help} redis://HOST:PORT`);
export const FOR = shared('--for <time>');
export const SEED = shared('--seed <seed>');
export const LEVEL = shared('-l, --level <level>');
export const TIME = shared('--time <time>');
export const TO = shared('--to <format>');
export const TRIALS = shared('--trials <n>');
export const SCHEDULES = shared('--schedules <n>');
export const TRANSACTIONS = shared('--transactions <n>');
export const RESUME = shared('--resume');
export const TRUST = <const What extends string>(what: What, help: string) => option(`--trust <${what}>`, help);
export const MODEL = shared('--model <model>');

export const READING = [
  option('--format <name>', 'read the input in this format', 'auto'),
  option('--threads <n>', 'use N threads for a large history; all cores if absent'),
  choice('--failed-statements <reading>', 'treat failed statements of commits as', 'published', 'rollback'),
  choice('--initial-transaction <reading>', 'choose the first transaction', 'stated', 'first', 'ordinary'),
] as const;

export const LIMITS = [
  TIME('limit the time of reading, and of each checker: 500ms, 60s, 10m'),
  option('--memory <size>', 'limit the memory of each checker: 500MB, 4GB'),
  option('--steps <n>', 'limit each checker to N steps, the same on all machines'),
  option('--place <place>', 'run checkers in a thread, worker or process'),
] as const;

export const ALLOWANCES = [
  option('--allow-vacuous', 'accept levels that no part of the history could violate'),
  option('--allow-cut-off', 'accept histories that were cut off'),
] as const;

export const ENGINE = [
  option('-c, --checker <names>', 'use NAME, NAME:VARIANT or a FILE; compare several, or all'),
  repeated('--option <name=value>', 'set an option of that checker'),
] as const;

export const VERDICTS = [
  ...ENGINE,
  option('--find-all', 'count every kind of anomaly'),
  option('--shrink', 'reduce the violation to a minimal history'),
  option('--certificate <file>', 'write a certificate for isolab verify; without one, exit with 2'),
  option('--summary <file>', 'append the verdict as Markdown, as to "$GITHUB_STEP_SUMMARY"'),
  ...ALLOWANCES,
] as const;

/** Options of `isolab check`. */
export const CHECKING = [
  ...READING,
  ...LIMITS,
  ...VERDICTS,
  LEVEL('check levels, or all; if absent, the claimed level, or all'),
  TRUST('claims', 'trust the timestamps of the database, or its versions'),
  option('--queue <shard>', 'check only shard 3/16 of the keys, with --trust, for isolab merge'),
  option('--db <address>', 'replay the statements of a satisfied recording there, and compare results'),
  MODEL('check operations on a register, mutex, fifo-queue … or a FILE'),
  option('--initial <value>', 'set the initial value of a register of the model'),
  option('--independent', 'read every value as a key and a value, like jepsen.independent'),
  FORCE,
] as const;
export type CheckFlags = CommandFlags<typeof CHECKING>;

export const VERDICT_OUTPUTS: readonly string[] = ['junit', 'sarif', 'markdown', 'html', 'svg', 'dot'];

export const LOSSY = option('--allow-lossy [names]', 'accept all losses, or these: times,key-names');
export const WRITING = [TO('write this format'), LOSSY, FORCE] as const;

export const CONNECT_TIMEOUT = option('--connect-timeout <time>', 'wait this long for a silent database', '10s');
export const STALL_TIMEOUT = (standard: string) =>
  option('--stall-timeout <time>', 'stop if no session gets an answer within this time', standard);
export const SESSION_SETUP = repeated('--session-setup <sql>', 'begin every session with this statement');
export const ISOLATION = option(
  '--isolation <level>',
  'use this level, by the database’s name; the strongest if absent',
);

export const DATABASE = [
  repeated('--db <address>', 'use ENGINE@VERSION or ADDRESS, or several', 'embedded'),
  SESSION_SETUP,
  ISOLATION,
] as const;

export const LAYOUT = option('--layout <words>', 'lay out keys: key=integer,tables=3,index=value,read-by=scan');

export const FAULTS = [
  option('--faults <kinds|file>', 'inject kill, pause, delay, cut, reset, think; or a schedule'),
  option('--fault-every <time>', 'inject a fault at this interval, on average', '2s'),
] as const;

/** Options of a command that writes a history. */
export const WATCHING = [
  option('--watch <levels>', 'check these levels meanwhile; the log is in OUT.watch'),
  option('--page <address>', 'serve a live page, and /metrics, at HOST:PORT'),
] as const;

export const COLLECTING = [
  ...DATABASE,
  option('--workload <name>', 'run a workload from isolab list workloads', 'contention'),
  SET,
  option('--sessions <n>', 'run N clients', '8'),
  TRANSACTIONS('commit N per client; 100 if absent, unlimited with --for'),
  FOR('start no transaction after this time: 30s, 10m'),
  LAYOUT,
  skip('final-reads'),
  ...FAULTS,
  SEED('set the seed: the same seed gives the same requests', '1'),
  RETRY,
  RESUME('continue an interrupted history, on the same data'),
  CONNECT_TIMEOUT,
  STALL_TIMEOUT('60s'),
  FORCE,
] as const;
