import { ALL_FORMATS } from 'isolab/formats';
import { ExitCode } from '../exit.ts';
import { type Printer, table, toJson } from '../print.ts';
import type { CommandModule } from '../options.ts';

export const command: CommandModule = {
  examples: ['isolab formats', 'isolab formats --output json'],
  options: [],
  run: formats,
};

/** `isolab formats`: what can be read and written. */
export function formats({ output }: { readonly output: string }, printer: Printer): number {
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
