import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { gunzip } from 'node:zlib';
import { FormatError, type OpenOptions, inputOfBytes, readDocumentAt, readDocumentFrom } from '@isolab/formats';
import type { History } from '@isolab/history';

/** Where a history is: a path, a URL (`file:`, `http:` or `https:`), or a text or bytes that are in memory already. */
export type HistorySource =
  | string
  | URL
  | { readonly text: string; readonly name?: string }
  | { readonly bytes: Uint8Array; readonly name?: string };

export interface ReadHistoryOptions {
  /** The name of its format, as `isolab formats` lists them; found out from its content unless told. */
  readonly format?: string;
  /** What a failed statement in a committed transaction means, as `--failed-statements`. */
  readonly failedStatements?: 'published' | 'rollback';
  /** Whether an explicit initial transaction precedes all others, as `--initial-transaction`. */
  readonly initialTransaction?: 'stated' | 'first' | 'ordinary';
  /** Told how many bytes of how many were read from a path. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Reads a history in any of the formats, compressed by gzip or not; a FormatError says what is wrong with it, and where. */
export async function readHistory(source: HistorySource, options: ReadHistoryOptions = {}): Promise<History> {
  const { initialTransaction = 'stated', failedStatements = 'published', ...rest } = options;
  oneOf(initialTransaction, 'initialTransaction', ['stated', 'first', 'ordinary']);
  oneOf(failedStatements, 'failedStatements', ['published', 'rollback']);
  const document = await readDocument(source, { ...rest, failedStatements, initialTransaction });
  if (document.kind === 'polygraph') {
    const { name } = document.polygraph;
    throw new FormatError(name, null, 'it is a polygraph, not a history; isolab check on the command line takes it');
  }
  return document.history;
}

async function readDocument(source: HistorySource, options: OpenOptions) {
  if (typeof source === 'string' && !/^(file|https?):/.test(source)) return readDocumentAt(source, options);
  if (typeof source === 'string' || source instanceof URL) {
    const url = new URL(source);
    if (url.protocol === 'file:') return readDocumentAt(fileURLToPath(url), options);
    return readDocumentFrom(inputOfBytes(url.href, await fetched(url)), options);
  }
  if ('text' in source) return readDocumentFrom(inputOfBytes(source.name ?? 'a text', source.text), options);
  return readDocumentFrom(inputOfBytes(source.name ?? 'bytes in memory', await inflated(source.bytes)), options);
}

async function fetched(url: URL): Promise<Uint8Array> {
  if (!/^https?:$/.test(url.protocol))
    throw new FormatError(url.href, null, `got a URL of ${url.protocol}, expected file:, http: or https:`);
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
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? await promisify(gunzip)(bytes) : bytes;
}

function oneOf(value: string, option: string, choices: readonly string[]): void {
  if (!choices.includes(value)) throw new RangeError(`${option} is ${value}, expected ${choices.join(' or ')}.`);
}
