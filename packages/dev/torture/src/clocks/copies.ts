import {
  HISTORY_FORMATS,
  type HistoryFormat,
  type LossName,
  directoryOfBytes,
  findFormat,
  inputOfBytes,
  outputToMemory,
  readDocumentFrom,
} from '@isolab/formats';
import type { History } from '@isolab/history';
import type { Random } from '@isolab/workloads';

/** Returns the history after isolab's own writer and reader. */
export async function reread(history: History): Promise<History> {
  const read = await passedOn(history, findFormat('isolab') as HistoryFormat);
  if (read === null) throw new Error('isolab’s own format turned it into a polygraph');
  return read;
}

/** Returns a copy in another format that loses no more than bounds of times and names; null if there is none. */
export async function copyOf(history: History, random: Random): Promise<History | null> {
  const format = random.pick(HISTORY_FORMATS);
  const writer = await format.writer?.();
  const losses = writer?.losses(history);
  if (losses === undefined || losses.some(({ name }) => !HARMLESS.includes(name))) return null;
  return passedOn(history, format);
}

async function passedOn(history: History, format: HistoryFormat): Promise<History | null> {
  const files = new Map<string, Uint8Array>();
  await (await format.writer!()).write(history, outputToMemory(files));
  const input =
    format.layout === 'directory'
      ? directoryOfBytes('copy', Object.fromEntries(files))
      : inputOfBytes('copy', files.values().next().value!);
  const document = await readDocumentFrom(input, { format });
  return document.kind === 'history' ? document.history : null;
}

const HARMLESS: readonly LossName[] = [
  'session-names',
  'transaction-names',
  'key-names',
  'value-names',
  'empty-sessions',
  'database-name',
  'time-bounds',
  'transaction-order',
];
