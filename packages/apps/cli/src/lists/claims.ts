import { join } from 'node:path';
import { type DecidedClaim, type Scale, decidedClaims, loadExperiments, shownResults } from '@isolab/experiments';
import { experimentsNamed, rootFolder } from '../bench/lab.ts';
import type { ListFlags } from './list-flags.ts';
import { ExitCode } from '../terminal/exit.ts';
import { type Printer, toJson } from '../terminal/print.ts';

/** Prints the claims of papers or experiments with the numbers of the paper and the measured ones. */
export function list(names: readonly string[], flags: ListFlags, printer: Printer): number {
  const root = rootFolder(flags.root);
  const experiments = experimentsNamed(loadExperiments(join(root, 'benchmarks')), names.length === 0 ? ['all'] : names);
  const rowsAt = (scale: Scale) => shownResults(join(root, 'reports'), scale, true).rows;
  const { claims, counts } = decidedClaims(experiments, rowsAt, flags.scale && [flags.scale]);
  if (flags.output === 'json') printer.out(toJson({ claims }));
  else {
    const ofPapers = claims.filter(({ origin, outcome }) => origin === 'paper' || outcome === 'fails');
    let before = '';
    for (const claim of ofPapers) {
      if (claim.experiment !== before) printer.out(`\n${printer.style.bold((before = claim.experiment))}`);
      tell(claim, printer);
    }
    printer.out(`\n${counts}. Checks of our own are listed only if they fail.`);
  }
  return ExitCode.Satisfied;
}

function tell({ sign, text, source, scale, measured }: DecidedClaim, { out, style }: Printer): void {
  out(`  ${sign}  ${text}`);
  out(style.dim(`      ${source}`));
  out(style.dim(`      here${scale === null ? '' : `, at scale ${scale}`}: ${measured}`));
}
