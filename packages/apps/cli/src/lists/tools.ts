import { type ListedProgram, type Way, programsIn } from '@isolab/experiments';
import type { ListFlags } from './list-flags.ts';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { type Printer, type Style, table, toJson } from '../terminal/print.ts';
import { unknownWord } from '../terminal/words.ts';
import { rootFolder, toolsOf } from '../bench/lab.ts';

/** Prints the published programs that figures can include, or one program in full. */
export function list([name, ...others]: readonly string[], flags: ListFlags, printer: Printer): number {
  if (others.length > 0) throw new UsageError('isolab list tools accepts one name.');
  const all = programsIn(toolsOf(rootFolder(flags.root), flags.tools));
  const chosen = all.filter(({ ways }) => name === undefined || ways.some((way) => way.name === name));
  if (name !== undefined && chosen.length === 0)
    throw unknownWord(
      'tool',
      name,
      all.flatMap(({ ways }) => ways.map((way) => way.name)),
    );
  if (flags.output === 'json') printer.out(toJson({ tools: chosen }));
  else if (name === undefined) listAll(chosen, printer);
  else for (const one of chosen) tell(one, printer);
  return ExitCode.Satisfied;
}

function listAll(all: readonly ListedProgram[], printer: Printer): void {
  const rows = all.flatMap(({ about, ways }) =>
    ways.map((way) => [
      way.name,
      about?.title ?? '',
      way.path ?? `not here: ${way.command[0]}`,
      way.format,
      way.levels.join(', '),
    ]),
  );
  printer.out(table([['tool', 'program', 'where', 'reads', 'decides'], ...rows]));
  printer.out('\nisolab list tools NAME prints a program’s requirements, its use in a figure, and its known errors.');
}

function tell({ name, about, ways }: ListedProgram, { out, style }: Printer): void {
  out(style.bold(about?.title ?? name));
  if (about) {
    out(`  ${about.paper}\n  ${about.source}`);
    out(`  needs:   ${about.needs}`);
    out(`  set-up:  ${about.setUp}`);
    for (const error of about.errs) out(`  errs:    ${error}`);
  }
  for (const way of ways) tellWay(way, about?.title ?? name, out, style);
}

function tellWay(way: Way, title: string, out: Printer['out'], { bold }: Style): void {
  const { name, path, command: words, format, levels, answers } = way;
  out(`\n${bold(`tool:${name}`)}`);
  out(`  where:   ${path ?? `not found; put ${words[0]} on the PATH`}`);
  out(`  runs:    ${words.join(' ')}`);
  out(`  reads:   ${format}`);
  out(`  decides: ${levels.join(', ')}`);
  out(`  answers: ${answers}`);
  out(
    `  series:  ${JSON.stringify({ name: `${title} (published program)`, checker: `tool:${name}`, trusted: false })}`,
  );
}
