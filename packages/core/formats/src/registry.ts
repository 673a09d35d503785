import {
  type History,
  type PolygraphInput,
  Times,
  findInitialTransaction,
  foldInitialTransaction,
  findReversedTimes,
} from '@isolab/history';
import { awdit } from './awdit.ts';
import { withoutByteOrderMark } from './files/byte-order-mark.ts';
import { cobra } from './cobra/cobra.ts';
import { dbcopBincode } from './dbcop/dbcop-bincode.ts';
import { dbcopHist } from './dbcop/dbcop-hist.ts';
import { dbcopJson } from './dbcop/dbcop-json.ts';
import { dbcopYaml } from './dbcop/dbcop-yaml.ts';
import { FormatError, mismatch, unexpected } from './files/errors.ts';
import { describeReversed } from './format/reversed-times.ts';
import type { HistoryFormat, PolygraphFormat, ReadOptions } from './format/format.ts';
import { type ByteStream, type Directory, type Input, type InputOptions, openInput } from './files/input.ts';
import { insideStore } from './jepsen/jepsen-store.ts';
import { isolab, recordings } from './isolab/isolab.ts';
import { jepsenEdn } from './jepsen/jepsen-edn.ts';
import { jepsenJson } from './jepsen/jepsen-json.ts';
import { notation } from './notation/notation.ts';
import { polyg } from './polyg.ts';
import { porcupineEtcd } from './porcupine/porcupine-etcd.ts';
import { porcupineKv } from './porcupine/porcupine-kv.ts';
import { text } from './text.ts';
import { timekiller } from './timekiller/timekiller.ts';
import { viper } from './viper/viper.ts';

/** All formats of histories. To add a format, write its file and list it here. */
export const HISTORY_FORMATS: readonly HistoryFormat[] = [
  isolab,
  recordings,
  text,
  dbcopBincode,
  dbcopYaml,
  dbcopJson,
  dbcopHist,
  cobra,
  viper,
  awdit,
  jepsenEdn,
  jepsenJson,
  porcupineEtcd,
  porcupineKv,
  timekiller,
  notation,
];

const POLYGRAPH_FORMATS: readonly PolygraphFormat[] = [polyg];

export type AnyFormat = HistoryFormat | PolygraphFormat;

export const ALL_FORMATS: readonly AnyFormat[] = [...HISTORY_FORMATS, ...POLYGRAPH_FORMATS];

export const findFormat = (name: string): AnyFormat | null =>
  ALL_FORMATS.find((format) => format.name === name || aliasesOf(format).includes(name)) ?? null;

async function detectFormat(input: Input): Promise<AnyFormat> {
  if (input.kind === 'stream' && input.head.length === 0)
    throw unexpected(input.name, null, 'an empty file', 'a history');
  if (input.kind === 'directory' && input.files.length === 0) {
    throw unexpected(input.name, null, 'a directory without files', 'a directory of logs');
  }
  const matching: AnyFormat[] = [];
  for (const format of ALL_FORMATS)
    if (format.layout === input.kind && (await format.matches(input as never))) matching.push(format);
  if (matching.length === 1) return matching[0]!;
  const names = (matching.length === 0 ? ALL_FORMATS.filter(({ layout }) => layout === input.kind) : matching).map(
    ({ name }) => name,
  );
  if (matching.length === 0 && input.kind === 'stream' && looksHeadless(input.head)) {
    const header = '{"isolab":"history","version":1}';
    const found = 'lines that look like isolab’s own format, but no header';
    throw unexpected(input.name, 'line 1', found, `${header} as the first line`);
  }
  throw new FormatError(
    input.name,
    null,
    matching.length === 0
      ? mismatch(
          'no known format',
          `one of ${names.join(', ')}; name it with --format if it is one of them; isolab list formats describes them`,
        )
      : `it looks like several formats (${names.join(', ')}); name the right one with --format`,
  );
}

/** Returns whether a text begins with a transaction of isolab's own format. */
function looksHeadless(head: Uint8Array): boolean {
  const [line = ''] = Buffer.from(head).toString('latin1').trimStart().split('\n', 1);
  return line.startsWith('{') && /"(session|ops)"\s*:/.test(line);
}

export type Document =
  | { readonly kind: 'history'; readonly format: HistoryFormat; readonly history: History }
  | { readonly kind: 'polygraph'; readonly format: PolygraphFormat; readonly polygraph: PolygraphInput };

export interface OpenFileOptions extends ReadOptions, InputOptions {
  /** A format or its name; detected from the content when absent. */
  readonly format?: string | HistoryFormat;
  /** Called when the format is known, before it reads. */
  readonly onFormat?: () => void;
}

/** Reads a history or polygraph from a path, or from standard input for `-`. */
export async function readDocumentAt(path: string, options: OpenFileOptions = {}): Promise<Document> {
  return readDocumentFrom(await openInput(path, options), options);
}

export async function readDocumentFrom(input: Input, options: OpenFileOptions = {}): Promise<Document> {
  try {
    return await readDocument(input, options);
  } finally {
    if (input.kind === 'stream') input.close?.();
  }
}

async function readDocument(source: Input, options: OpenFileOptions): Promise<Document> {
  const given = await insideStore(source);
  const named = formatAsked(options.format, given.name);
  const isBinary = named === null ? await looksBinary(given) : isBinaryFormat(named);
  const input = given.kind === 'stream' && !isBinary ? withoutByteOrderMark(given) : given;
  const format = named ?? (await detectFormat(input));
  if (format.layout !== input.kind) {
    const [found, expected] =
      input.kind === 'directory' ? ['a directory', 'one file'] : ['a file', 'a directory of logs'];
    throw unexpected(input.name, null, found, `${expected} for the format ${format.name}`);
  }
  if (options.shard !== undefined && !('hasShards' in format && format.hasShards)) {
    const able = ALL_FORMATS.filter((each) => 'hasShards' in each).map((each) => each.name);
    throw unexpected(input.name, null, `the format ${format.name} for a shard of the keys`, able.join(', '));
  }
  options.onFormat?.();
  if ('readPolygraph' in format)
    return { kind: 'polygraph', format, polygraph: await format.readPolygraph(input as ByteStream) };
  const read = await format.read(input as ByteStream & Directory, options);
  const { shard } = options;
  const history = shard === undefined ? read : { ...read, source: { ...read.source, shard } };
  insistOnTimes(history, input);
  return {
    kind: 'history',
    format,
    history: options.initialTransaction === 'first' ? folded(history, input) : history,
  };
}

/** Refuses a transaction with reversed times: it has no place in real time, so no verdict would be right. */
function insistOnTimes(history: History, { name }: Input): void {
  const { txnBegin, txnBegun, txnCommitting, txnEnd, txnPosition, source } = history;
  if (txnBegin === null && txnEnd === null) return;
  const compared = (times: BigInt64Array | null): Times | undefined => (times === null ? undefined : new Times(times));
  const columns = {
    begin: compared(txnBegin),
    begun: compared(txnBegun),
    committing: compared(txnCommitting),
    end: compared(txnEnd),
  };
  for (let t = 0; t < txnPosition.length; t++) {
    const reversed = findReversedTimes(columns, t);
    if (reversed === null) continue;
    throw new FormatError(name, `${source.unit} ${txnPosition[t]}`, mismatch(...describeReversed(reversed)));
  }
}

function folded(history: History, { name }: Input): History {
  const t = findInitialTransaction(history);
  if (t !== null) return foldInitialTransaction(history, t).history;
  const expected =
    'a transaction that is alone in its session, is called first, and only writes, to at least half of the keys';
  throw unexpected(name, null, 'no transaction that looks like an initial transaction', expected);
}

const isBinaryFormat = (format: AnyFormat): boolean => 'isBinary' in format && format.isBinary === true;

async function looksBinary(input: Input): Promise<boolean> {
  if (input.kind === 'directory') return false;
  for (const format of HISTORY_FORMATS) if (format.isBinary && (await format.matches(input))) return true;
  return false;
}

function formatAsked(name: OpenFileOptions['format'], file: string): AnyFormat | null {
  if (name === undefined) return null;
  if (typeof name !== 'string') return name;
  const format = findFormat(name);
  if (format) return format;
  const known = ALL_FORMATS.map((each) => each.name).join(', ');
  throw new FormatError(file, null, `unknown format ${name}; expected one of ${known}`);
}

const aliasesOf = (format: AnyFormat): readonly string[] =>
  'aliases' in format && format.aliases ? format.aliases : [];
