import { defineFormat } from '../format/format.ts';
import type { ByteStream } from '../files/input.ts';
import { readDocument } from '../files/windows.ts';

/** Histories with timestamps, for Chronos and Aion. The grammar is in timekiller-reader.ts. */
export const timekiller = defineFormat<ByteStream>({
  name: 'timekiller',
  aliases: ['chronos', 'aion'],
  title:
    'JSON of TimeKiller (Chronos, Aion): transactions {"tid", "sid", "sts", "cts", "ops"} with start and commit timestamps',
  layout: 'stream',
  fileName: '*.json',
  matches: ({ head }) => FIRST.test(Buffer.from(head).toString('latin1')),
  read: async (input) => {
    const { TimeKillerReader } = await import('./timekiller-reader.ts');
    return new TimeKillerReader(input.name, await readDocument(input)).read();
  },
  writer: async () => (await import('./timekiller-writer.ts')).timekillerWriter,
});

const FIRST = /^\s*\[\s*\{\s*"(?:tid|sid|sts|cts|ops|rtts)"\s*:/;
