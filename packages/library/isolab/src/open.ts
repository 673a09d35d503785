import {
  type Document,
  FormatError,
  type HistoryFormat,
  type Input,
  type OpenFileOptions as ReadingOptions,
  findFormat,
  inputOfBytes,
  readDocumentAt,
  readDocumentFrom,
} from '@isolab/formats';
import {
  type History,
  type PolygraphInput,
  type Shard,
  type Threads,
  type WithVersions,
  type WrongVersions,
  countOperations,
  withStatedVersions,
} from '@isolab/history';
import { type Prepared, type PreparedHistory, StageClock, prepare, preparePolygraph } from '@isolab/runner';

/**
 * Source of a history: a path (`-` is standard input), a URL (`file:`, `http:` or `https:`), a text, bytes, a stream of
 * bytes, or a directory as in @isolab/formats.
 */
export type Source =
  | string
  | URL
  | { readonly text: string; readonly name?: string }
  | { readonly bytes: Uint8Array; readonly name?: string }
  | Input;

export interface OpenOptions {
  /**
   * Name of a format as in `isolab list formats`, file or package of a plug-in, or a format object; detected from the
   * content if absent.
   */
  readonly format?: string | HistoryFormat;
  /** Meaning of a failed statement in a committed transaction, as in `--failed-statements`. */
  readonly failedStatements?: 'published' | 'rollback';
  /** Whether an explicit initial transaction precedes all others, as in `--initial-transaction`. */
  readonly initialTransaction?: 'stated' | 'first' | 'ordinary';
  /**
   * Shard of the keys whose operations are read, only in isolab's own format. Only a checker that trusts the timestamps
   * accepts such a history.
   */
  readonly shard?: Shard;
  /** Number of threads that read, index and weigh a large history; all cores if absent. The result is the same. */
  readonly threads?: number;
  /** Time limit for reading. */
  readonly timeMs?: number;
  /** Called with the number of bytes read and the total number of bytes. */
  readonly onProgress?: (done: number, total: number) => void;
}

interface OpenedFile {
  /** Path, URL or given name. */
  readonly name: string;
  readonly format: string;
  readonly ms: number;
  /** Facts that checkers need, computed on first use. */
  readonly prepared: Prepared;
}

export interface OpenedHistory extends OpenedFile {
  readonly kind: 'history';
  readonly prepared: PreparedHistory;
  readonly history: History;
}

export interface OpenedPolygraph extends OpenedFile {
  readonly kind: 'polygraph';
  readonly polygraph: PolygraphInput;
}

export type Opened = OpenedHistory | OpenedPolygraph;

/** An opened history, or a history made in this program, for example with a Recorder. */
export type Subject = Opened | History;

/**
 * Opens a history or a polygraph in any supported format, with or without gzip. Throws a FormatError that states the
 * problem and its place.
 */
export function open(source: Source, { threads, ...options }: OpenOptions = {}): Promise<Opened> {
  return openWith(source, options, {
    least: { bytes: 1 << 25, operations: 1 << 20 },
    load: async (least) => {
      const count = threads ?? (await import('node:os')).availableParallelism();
      return count === 1 ? null : new (await import('./threads/threads.ts')).OwnThreads(count, least);
    },
  });
}

/** Threads that are loaded for a large file or history. */
interface ThreadsOnDemand {
  /** Size of the smallest file, and of the smallest history, for which the start of a thread pays. */
  readonly least: { readonly bytes: number; readonly operations: number };
  load(least: ThreadsOnDemand['least']): Promise<Threads | null>;
}

/** Opens a history with the given threads. */
export async function openWith(
  source: Source,
  options: Omit<OpenOptions, 'threads'>,
  { least, load }: ThreadsOnDemand,
): Promise<Opened> {
  const begin = performance.now();
  const clock = new StageClock();
  clock.enter('open', begin);
  const { initialTransaction = 'stated', failedStatements = 'published', ...rest } = options;
  if (options.shard !== undefined) insistOnShard(options.shard);
  oneOf(initialTransaction, 'initialTransaction', ['stated', 'first', 'ordinary']);
  oneOf(failedStatements, 'failedStatements', ['published', 'rollback']);
  const format = rest.format === undefined ? null : await formatAsked(rest.format);
  const onFormat = (): void => void clock.enter('parse');
  const threads = { leastBytes: least.bytes, load: () => load(least) };
  const asked = { ...rest, ...(format && { format }), failedStatements, initialTransaction, onFormat, threads };
  const document = await readDocument(source, asked);
  const isLarge = document.kind === 'history' && countOperations(document.history) >= least.operations;
  const others = isLarge ? await load(least) : null;
  clock.enter(null);
  const { shard } = options;
  const name = shard === undefined ? nameOf(source) : `${nameOf(source)}, shard ${shard.index}/${shard.of}`;
  return opened(document, { name, ms: performance.now() - begin }, clock, others);
}

function insistOnShard({ index, of }: Shard): void {
  if (Number.isInteger(index) && Number.isInteger(of) && index >= 1 && index <= of) return;
  throw new RangeError(`shard is ${index}/${of}; expected a shard from 1/${of} to ${of}/${of}.`);
}

/** Returns the format of a plug-in; built-in formats are found by name. */
async function formatAsked(word: string | HistoryFormat): Promise<HistoryFormat | null> {
  if (typeof word === 'string' && findFormat(word) !== null) return null;
  return (await import('./plugins/named.ts')).formatPlugin(word);
}

/** Wraps a document that was read. */
function opened(
  document: Document,
  named: Pick<OpenedFile, 'name' | 'ms'>,
  clock: StageClock,
  threads: Threads | null,
): Opened {
  const file = { ...named, format: document.format.name };
  if (document.kind === 'history') return openedHistory(document.history, file, clock, threads);
  const { polygraph } = document;
  return { kind: 'polygraph', ...file, polygraph, prepared: preparePolygraph(polygraph, clock) };
}

/** Wraps a history that was made in code in the form that `open` returns. */
export const openedHistory = (
  history: History,
  { name, format, ms }: Pick<OpenedFile, 'name' | 'format' | 'ms'>,
  clock = new StageClock(),
  threads: Threads | null = null,
): OpenedHistory => ({ kind: 'history', name, format, ms, history, prepared: prepare(history, clock, threads) });

/** Returns the opened form of a subject. */
export function asOpened(subject: Subject): Opened {
  if ('prepared' in subject) return subject;
  const { files, format } = subject.source;
  return openedHistory(subject, { name: files[0] ?? 'a history', format, ms: 0 });
}

/**
 * Returns the history with the versions that its database states as facts, or two statements that contradict each other.
 */
export function withVersions(
  input: OpenedHistory,
): (WithVersions & { readonly opened: OpenedHistory }) | WrongVersions {
  const stated = withStatedVersions(input.history);
  return 'text' in stated ? stated : { ...stated, opened: openedHistory(stated.history, input) };
}

/** Returns the shard of the keys whose operations were read; null for all keys. */
export const shardOf = (input: Opened): Shard | null =>
  input.kind === 'history' ? (input.history.source.shard ?? null) : null;

export function historyOf(subject: Subject): History {
  if (!('prepared' in subject)) return subject;
  if (subject.kind === 'history') return subject.history;
  throw new FormatError(subject.name, null, 'it is a polygraph, expected a history');
}

async function readDocument(source: Source, options: ReadingOptions): Promise<Document> {
  if (typeof source === 'string' && !/^(file|https?):/.test(source)) return readDocumentAt(source, options);
  if (typeof source === 'string' || source instanceof URL) {
    const url = new URL(source);
    if (url.protocol !== 'file:') return readDocumentFrom(inputOfBytes(url.href, await fetched(url)), options);
    const { fileURLToPath } = await import('node:url');
    return readDocumentAt(fileURLToPath(url), options);
  }
  if ('kind' in source) return readDocumentFrom(source, options);
  const bytes = 'text' in source ? source.text : await inflated(source.bytes);
  return readDocumentFrom(inputOfBytes(nameOf(source), bytes), options);
}

function nameOf(source: Source): string {
  if (typeof source === 'string') return source;
  if (source instanceof URL) return source.href;
  return source.name ?? ('text' in source ? 'a text' : 'bytes in memory');
}

async function fetched(url: URL): Promise<Uint8Array> {
  if (!/^https?:$/.test(url.protocol))
    throw new FormatError(url.href, null, `found a URL with ${url.protocol}, expected file:, http: or https:`);
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    const { cause, message } = error as Error;
    throw new FormatError(url.href, null, `it cannot be fetched: ${cause instanceof Error ? cause.message : message}`);
  }
  if (!response.ok) throw new FormatError(url.href, null, `the server answered ${response.status}, expected the file`);
  return inflated(new Uint8Array(await response.arrayBuffer()));
}

async function inflated(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const [{ promisify }, { gunzip }] = await Promise.all([import('node:util'), import('node:zlib')]);
  return promisify(gunzip)(bytes);
}

function oneOf(value: string, option: string, choices: readonly string[]): void {
  if (!choices.includes(value)) throw new RangeError(`${option} is ${value}, expected ${choices.join(' or ')}.`);
}
