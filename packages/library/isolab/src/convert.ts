import { type HistoryFormat, type Loss, type Output, findFormat, outputToStream, writeTo } from '@isolab/formats';
import type { History } from '@isolab/history';
import { type Subject, historyOf } from './open.ts';

export interface ConvertOptions {
  /** Name of the format, file or package of a plug-in, or a format object. */
  readonly to: string | HistoryFormat;
  /** Whether all information may be lost, or the names of the permitted losses. */
  readonly allowLossy?: boolean | readonly string[];
}

export interface Converted {
  readonly losses: readonly Loss[];
  /** Losses that were not permitted. If there are any, nothing was written. */
  readonly refused: readonly Loss[];
}

/** A Node stream, or an object with the same methods. It is not ended. */
export interface WritableStream {
  write(bytes: Uint8Array, done: (error?: Error | null) => void): unknown;
}

export interface WriteHistoryOptions extends Pick<ConvertOptions, 'allowLossy'> {
  /** Name of the format; isolab's own if absent. */
  readonly format?: string;
}

/** Writes a history to a file, a directory or a stream. Fails without writing if information would be lost. */
export async function writeHistory(
  history: History,
  target: string | WritableStream,
  { format = 'isolab', allowLossy = false }: WriteHistoryOptions = {},
): Promise<void> {
  const { refused } = await convert(history, target, { to: format, allowLossy });
  if (refused.length === 0) return;
  const losses = refused.map(({ name, count, fate }) => `${name} (${count} ${fate})`).join(', ');
  throw new RangeError(`Written as ${format}, the history would lose ${losses}; allowLossy allows that.`);
}

/** Writes a history or a polygraph in a format to a file, a directory or a stream. */
export async function convert(
  subject: Subject,
  target: string | WritableStream,
  options: ConvertOptions,
): Promise<Converted> {
  const { to, allowLossy = false } = options;
  const format = await formatAsked(to);
  if (format === null) throw new RangeError(`There is no format ${String(to)}; isolab list formats lists them.`);
  if ('kind' in subject && subject.kind === 'polygraph') {
    if (!('writePolygraph' in format))
      throw new RangeError(`${subject.name} is a polygraph; it can only be written as one, not as ${format.name}.`);
    await writeInto(target, (output) => format.writePolygraph(subject.polygraph, output));
    return { losses: [], refused: [] };
  }
  if (!('read' in format) || !format.writer) throw new RangeError(`isolab reads ${format.name}, but cannot write it.`);
  const history = historyOf(subject);
  const writer = await format.writer();
  const losses = writer.losses(history);
  const isAllowed = ({ name }: Loss): boolean =>
    Array.isArray(allowLossy) ? allowLossy.includes(name) : allowLossy === true;
  const refused = losses.filter((loss) => !isAllowed(loss));
  if (refused.length === 0) await writeInto(target, (output) => writer.write(history, output));
  return { losses, refused };
}

async function formatAsked(word: string | HistoryFormat) {
  const known = typeof word === 'string' ? findFormat(word) : null;
  return known ?? (await import('./plugins/named.ts')).formatPlugin(word);
}

function writeInto(target: string | WritableStream, write: (output: Output) => Promise<void>): Promise<void> {
  if (typeof target === 'string') return writeTo(target, write);
  return write(
    outputToStream(
      (bytes) =>
        new Promise((done, fail) => {
          target.write(bytes, (error) => (error ? fail(error) : done()));
        }),
    ),
  );
}
