import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { writeFileTo } from 'isolab/formats';
import { visibleLine } from 'isolab/skin';
import { check, loadChecker } from 'isolab/check';
import { eachPath } from '../verdicts/each-path.ts';
import { type ElleVerdict, OBJECT_MODELS, isObjectModel, judgeByModel } from './elle-objects.ts';
import { judgeByElle, levelsOf } from './elle-transactions.ts';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { openPath } from '../verdicts/open.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import { type CommandFlags, type CommandModule, option, READING } from '../terminal/options.ts';
import { comparedWithStore } from '../verdicts/store-results.ts';
import { wholeNumber } from '../terminal/words.ts';

const OPTIONS = [
  option('-f, --format <name>', 'read the input in this format: edn, json …', 'auto'),
  ...READING.filter(({ long }) => long !== '--format'),
  option('-m, --model <model>', 'check list-append, rw-register, bank, set, register, mutex …', 'auto'),
  option('-c, --consistency-models <models>', 'check these models of Elle', 'strict-serializable'),
  option('-a, --anomalies <names>', 'search only for these anomalies, separated by commas', ''),
  option('-s, --cycle-search-timeout <ms>', 'accepted and ignored, as isolab needs no such limit', '1000'),
  option('-d, --directory <folder>', 'write explanations and pictures into FOLDER'),
  option('-p, --plot-format <format>', 'draw svg', 'svg'),
  option('-t, --plot-timeout <ms>', 'limit the time of a picture', '5000'),
  option('-b, --max-plot-bytes <bytes>', 'leave out larger pictures', '65536'),
  option('-g, --group-size <n>', 'set the number of keys in each read of long-fork; 2 if absent'),
  option('-n, --allow-negative-balances', 'allow negative balances of the bank'),
  option('--max-transfer <amount>', 'accept the largest transfer of the bank'),
  option('-o, --total-amount <amount>', 'set the total of the bank; that of the first read if absent'),
] as const;
export type ElleFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: [
    'isolab elle --model list-append history.edn',
    'isolab elle --model rw-register --consistency-models serializable history.json',
  ],
  options: OPTIONS,
  run: elle,
};

/**
 * `isolab elle`: behaves like elle-cli, with its flags, its lines on standard output, and explanations on standard
 * error.
 */
export async function elle(paths: readonly string[], flags: ElleFlags, printer: Printer): Promise<number> {
  insistOnFlags(flags);
  const judge = isObjectModel(flags.model) ? judgeByModel : await byElle(flags, printer);
  return eachPath(paths, flags, printer, async (file) => {
    const verdict = await judge(file, flags);
    const { valid, code, analysis, told } = verdict;
    printer.judged(code);
    if (flags.output === 'json') printer.out(toJson({ path: file, valid, ...(analysis as object) }));
    else if (flags.verbose === true) printer.out(JSON.stringify(JSON.parse(toJson(analysis)), null, 2));
    else {
      printer.out(`${visibleLine(file)} \t ${valid}`);
      for (const each of told) printer.note(each);
    }
    if (flags.directory !== undefined && code !== ExitCode.Satisfied)
      await keep(flags.directory, file, verdict, flags, printer);
    const compared = await comparedWithStore(file, code);
    if (compared !== null) printer.note(compared);
    return code;
  });
}

function insistOnFlags(flags: ElleFlags): void {
  const { model, plotFormat, cycleSearchTimeout, plotTimeout, maxPlotBytes, maxTransfer } = flags;
  const known = ['auto', 'list-append', 'rw-register', ...OBJECT_MODELS];
  if (!known.includes(model)) throw new UsageError(`There is no model ${model}; expected one of ${known.join(', ')}.`);
  if (plotFormat !== 'svg') throw new UsageError(`--plot-format must be svg, not ${plotFormat}.`);
  wholeNumber('--cycle-search-timeout', cycleSearchTimeout);
  wholeNumber('--plot-timeout', plotTimeout);
  wholeNumber('--max-plot-bytes', maxPlotBytes);
  if (maxTransfer !== undefined) wholeNumber('--max-transfer', maxTransfer);
}

async function byElle(
  { model, anomalies, consistencyModels }: ElleFlags,
  printer: Printer,
): Promise<(file: string, flags: ElleFlags) => Promise<ElleVerdict>> {
  const levels = levelsOf(consistencyModels);
  const checker = await loadChecker('elle');
  return async (file, flags) => {
    const document = await openPath(file, withFormat(flags));
    if (document.kind === 'polygraph')
      throw new UsageError(`${file} is a polygraph; isolab elle accepts only histories.`);
    return judgeByElle(document, checker, levels, { model, anomalies }, printer);
  };
}

/** Translates elle-cli's names of formats. */
const withFormat = (flags: ElleFlags): ElleFlags =>
  flags.format === 'edn' || flags.format === 'json' ? { ...flags, format: `jepsen-${flags.format}` } : flags;

/** Writes the findings about a history to a folder, and draws transactions. */
async function keep(
  folder: string,
  file: string,
  { analysis, told, story }: ElleVerdict,
  flags: ElleFlags,
  printer: Printer,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const target = path.join(folder, path.basename(file));
  await writeFileTo(`${target}.txt`, `${told.join('\n').trim()}\n`);
  await writeFileTo(`${target}.analysis.json`, `${toJson(analysis)}\n`);
  const { drawSvg, story: tell } = await import('isolab');
  let drawn = story ?? null;
  if (!isObjectModel(flags.model)) {
    const document = await openPath(file, withFormat(flags));
    const timeMs = wholeNumber('--plot-timeout', flags.plotTimeout);
    const result = await check(document, { level: levelsOf(flags.consistencyModels), certify: true, timeMs });
    drawn = await tell(document, result, { timeMs });
  }
  if (drawn === null) return printer.note(`${visibleLine(file)}: there is no picture of the anomalies found`);
  const svg = drawSvg(drawn);
  const most = wholeNumber('--max-plot-bytes', flags.maxPlotBytes);
  if (svg.length <= most) return writeFileTo(`${target}.svg`, svg);
  printer.note(
    `${visibleLine(file)}: the picture of ${svg.length} bytes exceeds --max-plot-bytes ${most} and is left out`,
  );
}
