import { ALL_FORMATS } from 'isolab/formats';
import { ExitCode } from '../terminal/exit.ts';
import type { ListFlags } from './list-flags.ts';
import { type Printer, table, toJson } from '../terminal/print.ts';

/** Prints the formats of files. */
export function list(_names: readonly string[], { output }: ListFlags, printer: Printer): number {
  const rows = ALL_FORMATS.map((format) => ({
    name: format.name,
    aliases: 'aliases' in format ? (format.aliases ?? []) : [],
    title: format.title,
    files: format.layout === 'directory' ? `a directory of ${format.fileName}` : format.fileName,
    writes: 'writePolygraph' in format || format.writer !== undefined,
  }));
  if (output === 'json') printer.out(toJson({ formats: rows }));
  else
    printer.out(
      table(rows.map(({ name, files, writes, title }) => [name, files, writes ? 'read, write' : 'read', title])),
    );
  return ExitCode.Satisfied;
}
