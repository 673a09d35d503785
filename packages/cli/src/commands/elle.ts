import { visibleLine } from '@isolab/history';
import type { LevelName } from '@isolab/contract';
import { RULES, consistencyModels, coverage, explainer } from '@isolab/elle';
import { type Report, run } from '@isolab/runner';
import { loadChecker } from 'isolab';
import { eachPath } from '../each-path.ts';
import { UsageError, codeOf } from '../exit.ts';
import { type InputFlags, openPath } from '../open.ts';
import { type Printer, toJson } from '../print.ts';
import { tellAnomaly } from '../story.ts';
import { type CommandModule, option, READING } from '../options.ts';

export interface ElleFlags extends InputFlags {
  readonly model: string;
  readonly consistencyModels: string;
  readonly anomalies: string;
  readonly output: string;
  readonly verbose?: boolean;
}

export const command: CommandModule = {
  usage: 'elle <path...>',
  summary: 'run Elle, with the flags of elle-cli',
  examples: [
    'isolab elle --model list-append history.edn',
    'isolab elle --model rw-register --consistency-models serializable history.json',
  ],
  options: [
    ...READING,
    option('-m, --model <model>', 'read the history as list-append or rw-register', 'auto'),
    option('-c, --consistency-models <model>', 'check this model, by Elle’s name', 'strict-serializable'),
    option('-a, --anomalies <names>', 'look only for these, separated by commas', ''),
  ],
  run: elle,
};

/** `isolab elle`: Elle with the flags of elle-cli, and its way to tell what an anomaly rules out. */
export async function elle(paths: readonly string[], flags: ElleFlags, printer: Printer): Promise<number> {
  const level = levelOf(flags.consistencyModels);
  const checker = await loadChecker('elle');
  return eachPath(paths, flags, printer, async (path) => {
    const document = await openPath(path, flags);
    if (document.kind === 'polygraph') throw new UsageError(`${path} is a polygraph; Elle takes histories.`);
    const { prepared } = document;
    const options = { model: flags.model, anomalies: flags.anomalies };
    const report = await run({ checker, prepared, level, options }, { findAll: true, certify: false });
    const input = prepared.inputFor(checker.checker);
    printer.judged(codeOf(report.verdict));
    const found = report.verdict.status === 'violated' ? report.verdict.anomalies : [];
    const ruledOut = consistencyModels(found.map(({ name, pattern }) => pattern ?? name));
    const known = coverage(input, ASSUMPTIONS);
    if (flags.output === 'json') {
      const types = [...new Set(found.map(({ name, pattern }) => pattern ?? name))];
      printer.out(toJson({ path, valid: validity(report), level, anomalyTypes: types, ...ruledOut, coverage: known }));
    } else {
      printer.out(`${visibleLine(path)}\t${validity(report)}`);
      const explain = explainer(input, ASSUMPTIONS);
      for (const anomaly of found.slice(0, TOLD)) {
        const prose = explain(anomaly);
        const name = anomaly.pattern ?? anomaly.name;
        printer.out(
          `\n${prose === null ? tellAnomaly(input.history, anomaly, printer.style) : `${printer.style.red(name)}\n${prose}`}`,
        );
      }
      if (found.length > TOLD) printer.out(`\n… and ${found.length - TOLD} more.`);
      if (found.length > 0)
        printer.out(`\nnot:      ${ruledOut.not.join(', ')}\nalso not: ${ruledOut.alsoNot.join(', ')}`);
      if (report.verdict.status === 'unknown') printer.out(report.verdict.detail ?? report.verdict.reason);
      const { reads, resolvedReads, keys, orderedKeys } = known;
      printer.out(
        `\nresolved ${resolvedReads} of ${reads} reads; ${orderedKeys} of ${keys} keys have a total version order`,
      );
    }
    return codeOf(report.verdict);
  });
}

const validity = ({ verdict }: Report): string =>
  verdict.status === 'unknown' ? 'unknown' : String(verdict.status === 'satisfied');

/** Elle's name of a consistency model, in our terms. */
function levelOf(model: string): LevelName {
  const wanted = Object.hasOwn(ALIASES, model) ? ALIASES[model] : model;
  const found = Object.entries(RULES).find(([, rule]) => rule?.model === wanted);
  if (found) return found[0] as LevelName;
  const known = Object.values(RULES).map((rule) => rule?.model);
  throw new UsageError(`There is no consistency model ${model} here; there are ${known.join(', ')}.`);
}

const ALIASES: Readonly<Record<string, string>> = {
  'strict-serializable': 'strong-serializable',
  'PL-SS': 'strong-serializable',
  'PL-3': 'serializable',
  'PL-SI': 'snapshot-isolation',
  'PL-2': 'read-committed',
};

/** Those of the checker's defaults. */
const ASSUMPTIONS = { wfrKeys: true, sequentialKeys: false, linearizableKeys: false };
const TOLD = 8;
