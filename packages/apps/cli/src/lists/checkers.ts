import { loadCheckers } from 'isolab/check';
import { visibleLine } from 'isolab/skin';
import { ExitCode } from '../terminal/exit.ts';
import type { ListFlags } from './list-flags.ts';
import { type Printer, toJson } from '../terminal/print.ts';

/** Prints the built-in checkers, with levels, variants and options. */
export async function list(_names: readonly string[], { output }: ListFlags, printer: Printer): Promise<number> {
  const infos = (await loadCheckers()).map(({ checker }) => checker.info);
  if (output === 'json') {
    printer.out(toJson({ checkers: infos }));
    return ExitCode.Satisfied;
  }
  const { bold, dim } = printer.style;
  for (const { name, title, paper, levels, takesForFacts, variants, options } of infos) {
    printer.out(`${bold(name)}  ${visibleLine(title)}`);
    if (paper) printer.out(dim(`  ${paper.authors}: ${paper.title}. ${paper.venue} ${paper.year}`));
    printer.out(`  levels: ${levels.join(', ')}`);
    if (takesForFacts) printer.out(`  trusts the ${takesForFacts} that the database states`);
    for (const [variant, { help }] of Object.entries(variants)) printer.out(`  --checker ${name}:${variant}: ${help}`);
    for (const [option, spec] of Object.entries(options as Record<string, { default: unknown; help: string }>)) {
      printer.out(`  --option ${option}=${String(spec.default)}: ${spec.help}`);
    }
  }
  return ExitCode.Satisfied;
}
