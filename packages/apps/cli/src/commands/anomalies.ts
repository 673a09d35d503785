import { PUBLIC, writeFileTo } from 'isolab/formats';
import { visibleLine } from 'isolab/skin';
import {
  CASES,
  type OwnReport,
  type HermitageReport,
  checkClaims,
  differencesFrom,
  overview,
  ownPage,
  ownRows,
  ownSentence,
  pages,
  publishedOf,
  remarks,
  sentLines,
  tableRows,
  transcriptLines,
} from '@isolab/schedules';
import { join } from 'node:path';
import { ExitCode } from '../terminal/exit.ts';
import { type Printer, table, toJson } from '../terminal/print.ts';

export interface Telling {
  readonly out?: string;
  readonly output: string;
  /** Whether each cell is printed with its statements. */
  readonly isDetailed: boolean;
}

/** Prints the table of anomalies, and writes it to a folder. */
export async function tellTable(
  report: HermitageReport,
  { out, output, isDetailed }: Telling,
  printer: Printer,
): Promise<number> {
  await write(out, pages(report, CASES));
  if (output === 'json') printer.out(toJson(jsonOf(report)));
  else if (output === 'markdown') printer.out(overview(report, CASES, false).trimEnd());
  else {
    printer.out(`${visibleLine(report.database)}\n`);
    printer.out(table(tableRows(report, CASES), ''));
    if (isDetailed)
      for (const { name, cells } of report.levels)
        for (const cell of cells)
          printer.out(`\n${cell.case} at ${name.toUpperCase()}, ${transcriptLines(cell).map(visibleLine).join('\n')}`);
    printer.out(`\n${remarks(report, CASES).map(visibleLine).join('\n')}`);
    if (out !== undefined) printer.out(`\n${visibleLine(out)}: ${[...pages(report, CASES).keys()].join(', ')}`);
    else if (!isDetailed) printer.note('--out FOLDER writes all statements with their answers.');
  }
  return codeOf(report.levels.flatMap(({ cells }) => cells));
}

/** Prints the verdicts on the user's own transactions. */
export async function tellTransactions(report: OwnReport, { out, output }: Telling, printer: Printer): Promise<number> {
  await write(
    out,
    new Map([
      ['README.md', ownPage(report)],
      ['hermitage.json', `${JSON.stringify(report)}\n`],
    ]),
  );
  if (output === 'json') printer.out(toJson(report));
  else if (output === 'markdown') printer.out(ownPage(report).trimEnd());
  else {
    printer.out(`${visibleLine(report.database)}\n`);
    printer.out(table(ownRows(report), ''));
    for (const level of report.levels) {
      printer.out(`\n${visibleLine(ownSentence(level))}`);
      if (level.outcome !== 'prevented' && level.sent.length > 0)
        printer.out(sentLines(level.sent).map(visibleLine).join('\n'));
    }
  }
  return codeOf(report.levels);
}

async function write(out: string | undefined, files: ReadonlyMap<string, string>): Promise<void> {
  if (out !== undefined) for (const [name, text] of files) await writeFileTo(join(out, name), text, { mode: PUBLIC });
}

const codeOf = (decided: readonly { readonly outcome: string }[]): number =>
  decided.some(({ outcome }) => outcome === 'unknown') ? ExitCode.Unknown : ExitCode.Satisfied;

function jsonOf(report: HermitageReport): object {
  const published = publishedOf(report.database);
  return {
    ...report,
    claims: report.levels.map((level) => checkClaims(level, CASES)),
    published:
      published === null
        ? null
        : { of: published.of, source: published.source, differences: differencesFrom(published, report) },
  };
}
