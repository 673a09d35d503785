import { type Loss, findFormat, writeTo } from '@isolab/formats';
import { type Subject, historyOf } from './open.ts';

export interface ConvertOptions {
  /** The name of the format. */
  readonly to: string;
  /** Whether anything may be lost, or the names of the losses that may be. */
  readonly allowLossy?: boolean | readonly string[];
}

export interface Converted {
  /** What is lost. */
  readonly losses: readonly Loss[];
  /** The losses that were not allowed; if there is one, nothing was written. */
  readonly refused: readonly Loss[];
}

/** Writes a history or a polygraph in a format, into a file or a directory. */
export async function convert(subject: Subject, path: string, options: ConvertOptions): Promise<Converted> {
  const { to, allowLossy = false } = options;
  const format = findFormat(to);
  if (format === null) throw new RangeError(`There is no format ${to}; isolab formats lists them.`);
  if ('kind' in subject && subject.kind === 'polygraph') {
    if (!('writePolygraph' in format))
      throw new RangeError(`${subject.name} is a polygraph; it can only be written as one, not as ${format.name}.`);
    await writeTo(path, (output) => format.writePolygraph(subject.polygraph, output));
    return { losses: [], refused: [] };
  }
  if (!('read' in format) || !format.writer)
    throw new RangeError(`isolab reads ${format.name}, but does not write histories in it.`);
  const history = historyOf(subject);
  const writer = await format.writer();
  const losses = writer.losses(history);
  const isAllowed = ({ name }: Loss): boolean =>
    Array.isArray(allowLossy) ? allowLossy.includes(name) : allowLossy === true;
  const refused = losses.filter((loss) => !isAllowed(loss));
  if (refused.length === 0) await writeTo(path, (output) => writer.write(history, output));
  return { losses, refused };
}
