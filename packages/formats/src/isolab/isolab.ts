import { type History, OpKind } from '@isolab/history';
import { type Capabilities, anyAtom, lossesOf } from '../capabilities.ts';
import { inFile } from '../errors.ts';
import { defineFormat } from '../format.ts';
import type { ByteStream } from '../input.ts';
import { readLineWindows } from '../windows.ts';

/**
 * isolab's own format: JSON Lines, a header and then one line a transaction attempt. It holds everything that the model
 * holds. packages/formats/schema/history.schema.json describes it for other programs, docs/formats.md for people.
 */
export const isolab = defineFormat<ByteStream>({
  name: 'isolab',
  aliases: ['jsonl'],
  title: 'isolab’s own JSON Lines: a header, then one transaction per line',
  layout: 'stream',
  fileName: '*.jsonl',
  matches: ({ head }) => /^\s*\{\s*"isolab"\s*:/.test(Buffer.from(head.subarray(0, 200)).toString('latin1')),
  read: async (input) => {
    const { IsolabReader } = await import('./isolab-reader.ts');
    const reader = new IsolabReader(input);
    await readLineWindows(input, (bytes, start, end) => inFile(input.name, () => reader.readLines(bytes, start, end)));
    return reader.finish();
  },
  writer: async () => {
    const { writeIsolab } = await import('./isolab-writer.ts');
    return { losses: (history: History) => lossesOf(history, EVERYTHING), write: writeIsolab };
  },
});

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
  timestamps: true,
  versions: true,
  database: true,
  cutOff: true,
};
