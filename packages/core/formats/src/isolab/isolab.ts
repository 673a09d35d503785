import { type History, OpKind } from '@isolab/history';
import { type Capabilities, anyAtom, lossesOf } from '../format/capabilities.ts';
import { inFile, unexpected } from '../files/errors.ts';
import { type ReadOptions, defineFormat } from '../format/format.ts';
import type { ByteStream, Directory } from '../files/input.ts';
import { splitAtLines, withoutParts } from '../files/file-parts.ts';
import { readLineWindows } from '../files/windows.ts';
import type { IsolabFilePart } from './isolab-part.ts';
import type { IsolabPart } from './session-order.ts';
import type { IsolabReader } from './isolab-reader.ts';

/**
 * isolab's own format: JSON Lines with a header and one line per transaction attempt, which covers the whole model. The
 * schema for programs is packages/core/formats/schema/history.schema.json, and the description for people is
 * docs/formats.md.
 */
export const isolab = defineFormat<ByteStream>({
  name: 'isolab',
  aliases: ['jsonl'],
  title: 'isolab’s own JSON Lines: a header, then one transaction per line',
  layout: 'stream',
  fileName: '*.jsonl',
  matches: ({ head }) => /^\s*\{\s*"isolab"\s*:/.test(Buffer.from(head.subarray(0, 200)).toString('latin1')),
  hasShards: true,
  read: async (input, options) => {
    const { IsolabReader } = await import('./isolab-reader.ts');
    const reader = new IsolabReader(false, options.shard);
    await readFile(reader, await inParts(reader, input, options));
    return reader.finish();
  },
  writer: async () => {
    const { writeIsolab } = await import('./isolab-writer.ts');
    return { losses: (history: History) => lossesOf(history, EVERYTHING), write: writeIsolab };
  },
});

/**
 * Recordings of several processes of an application, one file each, as one history. Files without "recorded" are
 * separate histories.
 */
export const recordings = defineFormat<Directory>({
  name: 'recordings',
  title: 'recordings of the processes of one application, in isolab’s own JSON Lines',
  layout: 'directory',
  fileName: '*.jsonl',
  matches: async (directory) => {
    const files = directory.files.filter((file) => RECORDING.test(file));
    for (const file of files) {
      const input = await directory.open(file);
      input.close?.();
      const [line = ''] = Buffer.from(input.head).toString('latin1').split('\n', 1);
      if (!/^\s*\{\s*"isolab"\s*:/.test(line) || !/"recorded"\s*:/.test(line)) return false;
    }
    return files.length > 0;
  },
  read: async (directory) => {
    const { IsolabReader } = await import('./isolab-reader.ts');
    const reader = new IsolabReader(true);
    const files = directory.files.filter((file) => RECORDING.test(file));
    if (files.length === 0) throw unexpected(directory.name, null, 'no file', 'files called *.jsonl');
    for (const file of files) await readFile(reader, await directory.open(file));
    return reader.finish();
  },
});

/** Loads a reader of this format's lines, for callers without a file. */
export async function isolabReader(): Promise<() => IsolabReader> {
  const { IsolabReader } = await import('./isolab-reader.ts');
  return () => new IsolabReader();
}

const RECORDING = /\.jsonl(\.gz)?$/;

async function readFile(reader: IsolabReader, input: ByteStream): Promise<void> {
  reader.beginFile(input);
  await readLineWindows(input, (bytes, start, end) => inFile(input.name, () => reader.readLines(bytes, start, end)));
  reader.endFile();
}

/** Lets threads read the later parts of a large file. */
async function inParts(reader: IsolabReader, input: ByteStream, { threads, shard }: ReadOptions): Promise<ByteStream> {
  const { file, head } = input;
  const headerEnd = head.indexOf(LINE_FEED) + 1;
  if (threads === undefined || file === undefined || file.size < threads.leastBytes) return input;
  if (headerEnd === 0 || head[0] !== OPEN_BRACE) return input;
  const others = await threads.load();
  const places = others === null ? [] : splitAtLines(file, others.count).filter((place) => place > headerEnd);
  if (places.length === 0) return input;
  const tasks = places.map((from, i) => {
    const task = others!.begin<IsolabFilePart, IsolabPart>('read');
    task.give({
      path: file.path,
      header: head.slice(0, headerEnd),
      from,
      to: places[i + 1] ?? file.size,
      ...(shard && { shard }),
    });
    return task;
  });
  return withoutParts(input, places, tasks, (part) => reader.append(part));
}

const [LINE_FEED, OPEN_BRACE] = [10, 0x7b];

const EVERYTHING: Capabilities = {
  operations: Object.values(OpKind),
  aborted: 'yes',
  unknown: 'yes',
  emptyTransactions: true,
  emptySessions: true,
  sessionNames: () => true,
  transactionNames: () => true,
  keys: anyAtom,
  values: anyAtom,
  initial: 'any',
  nilValues: true,
  unknownReads: true,
  times: true,
  timeBounds: true,
  drift: true,
  timestamps: true,
  levels: true,
  versions: true,
  database: true,
  cutOff: true,
};
