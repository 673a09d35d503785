import {
  check,
  type CheckerRef,
  type CheckResult,
  findAnomaly,
  type LevelName,
  type Opened,
  type Report,
  type ReportedAnomaly,
  type VerdictStatus,
} from 'isolab/check';
import { RULES, consistencyModels, coverage, explainer } from '@isolab/elle';
import type { ElleVerdict } from './elle-objects.ts';
import { ExitCode, UsageError, codeOf, worseOf } from '../terminal/exit.ts';
import type { Printer } from '../terminal/print.ts';

export interface ElleOptions {
  readonly model: string;
  readonly anomalies: string;
}

/** Checks transactions by Elle at each of the levels; reports the findings at the first violated level. */
export async function judgeByElle(
  document: Extract<Opened, { kind: 'history' }>,
  checker: CheckerRef,
  levels: readonly LevelName[],
  options: ElleOptions,
  printer: Printer,
): Promise<ElleVerdict> {
  const results: CheckResult[] = [];
  for (const level of levels)
    results.push(await check(document, { level, checker, options: { ...options }, findAll: true, certify: false }));
  const at = (status: VerdictStatus): CheckResult | undefined => results.find(({ verdict }) => verdict === status);
  const told = at('violated') ?? at('unknown') ?? results[0]!;
  return {
    ...verdictOf(results.map(({ deciding }) => deciding!)),
    ...tellingOf(told, document.prepared.inputFor(checker.checker), printer),
  };
}

function verdictOf(reports: readonly Report[]): Pick<ElleVerdict, 'valid' | 'code'> {
  const code = reports.reduce<number>((worst, { verdict }) => worseOf(worst, codeOf(verdict)), ExitCode.Satisfied);
  return { code, valid: code === ExitCode.Satisfied ? 'true' : code === ExitCode.Violated ? 'false' : 'unknown' };
}

function tellingOf(
  { anomalies, deciding }: CheckResult,
  input: Parameters<typeof coverage>[0],
  { style }: Printer,
): Pick<ElleVerdict, 'analysis' | 'told'> {
  const { verdict, level } = deciding!;
  const found = verdict.status === 'violated' ? verdict.anomalies : [];
  const types = [...new Set(found.map(({ name, pattern }) => pattern ?? name))];
  const ruledOut = consistencyModels(types);
  const known = coverage(input, ASSUMPTIONS);
  const explain = explainer(input, ASSUMPTIONS);
  const told = found.slice(0, TOLD).map((anomaly, i) => {
    const prose = explain(anomaly);
    const name = anomaly.pattern ?? anomaly.name;
    return `\n${style.red(name)}${prose === null ? tellPlainly(anomalies[i]!) : `\n${prose}`}`;
  });
  if (found.length > TOLD) told.push(`\n… and ${found.length - TOLD} more.`);
  if (found.length > 0) told.push(`\nnot:      ${ruledOut.not.join(', ')}\nalso not: ${ruledOut.alsoNot.join(', ')}`);
  if (verdict.status === 'unknown') told.push(verdict.detail ?? verdict.reason);
  const { reads, resolvedReads, keys, orderedKeys } = known;
  told.push(`\nresolved ${resolvedReads} of ${reads} reads; ${orderedKeys} of ${keys} keys have a total version order`);
  return { told, analysis: { level, anomalyTypes: types, ...ruledOut, coverage: known } };
}

const tellPlainly = ({ name, transactions }: ReportedAnomaly): string =>
  `: ${findAnomaly(name)?.title ?? ''}\n  ${transactions.join(', ')}`;

/** Translates Elle's names of consistency models, separated by commas, to levels. */
export const levelsOf = (models: string): readonly LevelName[] =>
  models.split(',').map((word) => levelOf(word.trim().replace(/^:/, '')));

function levelOf(model: string): LevelName {
  const wanted = Object.hasOwn(ALIASES, model) ? ALIASES[model] : model;
  const found = Object.entries(RULES).find(([, rule]) => rule?.model === wanted);
  if (found) return found[0] as LevelName;
  const known = Object.values(RULES).flatMap((rule) => (rule === undefined ? [] : [rule.model]));
  throw new UsageError(`There is no consistency model ${model}; expected one of ${known.join(', ')}.`);
}

const ALIASES: Readonly<Record<string, string>> = {
  'strict-serializable': 'strong-serializable',
  'PL-SS': 'strong-serializable',
  'PL-3': 'serializable',
  'PL-SI': 'snapshot-isolation',
  'PL-2': 'read-committed',
};

/** Assumptions that the checker makes by default. */
const ASSUMPTIONS = { wfrKeys: true, sequentialKeys: false, linearizableKeys: false };
const TOLD = 8;
