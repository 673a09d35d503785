import { type LevelName, UNCERTIFIED, type Warning } from '@isolab/contract';
import { type History, toRegisters } from '@isolab/history';
import type { LevelsReport, Report, UnknownVerdict } from '@isolab/runner';

/** The run that a single level's verdict comes from; of several levels one that is violated, if there is one. */
export function decidingReport(asked: readonly LevelName[], result: LevelsReport): Report | null {
  const { reports, impliedBy } = result;
  const [level] = asked;
  const [violated] = asked.length > 1 ? violatedReports(result) : [];
  if (violated) return violated;
  const by = level === undefined ? undefined : (impliedBy[level] ?? level);
  return (
    reports.find((report) => report.level === by) ??
    reports.find(({ verdict }) => verdict.status === 'violated') ??
    reports[0] ??
    null
  );
}

/** The runs whose violation no weaker violated level explains. */
export const violatedReports = ({ reports, weakestViolated }: LevelsReport): Report[] =>
  reports.filter(({ level, verdict }) => verdict.status === 'violated' && weakestViolated.includes(level));

/** What checkers noticed beside their verdicts, once each. */
export const warningsOf = ({ reports }: LevelsReport): Warning[] => {
  const all = reports.flatMap(({ verdict }) => (verdict.status === 'unknown' ? [] : (verdict.warnings ?? [])));
  return [...new Map(all.map((warning) => [warning.text, warning])).values()];
};

/** The history whose numbers certificates use, whether the checker took exchanges as they are or lowered. */
export const numbered = (history: History): History => toRegisters(history).history;

/** The run that settles a level. */
const settling = ({ reports, impliedBy }: LevelsReport, level: LevelName): Report | undefined =>
  reports.find((report) => report.level === (impliedBy[level] ?? level));

/** Whether a level's verdict is the word of a plug-in, without a certificate that could be verified. */
export function isUnverified(result: LevelsReport, level: LevelName): boolean {
  const report = settling(result, level);
  return report !== undefined && report.isPlugin && report.proof !== 'verified' && report.verdict.status !== 'unknown';
}

/**
 * Why verdicts have no certificate, a sentence for each run that was asked for one and gave none. Of a plug-in that says
 * nothing all is said by its being unverified.
 */
export const uncertifiedOf = ({ reports }: LevelsReport): string[] =>
  reports.flatMap(({ level, checker, verdict, isPlugin }) =>
    verdict.status === 'violated' &&
    verdict.uncertified !== undefined &&
    !(isPlugin && verdict.uncertified === 'unstated')
      ? [`That ${level} is violated has no certificate: ${UNCERTIFIED[verdict.uncertified]}.${adviceAfter(checker)}`]
      : [],
  );

const adviceAfter = (checker: string): string =>
  checker === 'weave' ? '' : ' --checker weave proves what it finds, where it takes the history.';

/** Why a level is unknown, and what to do about it where something can be done. */
export function reasonAt(level: LevelName, { whyUnknown, reports }: LevelsReport): string {
  const why = whyUnknown[level];
  if (why !== undefined) return reasonIn(why);
  const [report] = reports;
  if (report === undefined) return 'no checker took it';
  return `${report.checker} decided ${report.level}, which does not settle this level; no checker for it is installed yet.`;
}

/** Of several levels each reason once, with the levels that it is of. */
export function reasonsAt(levels: readonly LevelName[], result: LevelsReport): ReadonlyMap<string, LevelName[]> {
  const reasons = new Map<string, LevelName[]>();
  for (const level of levels) {
    const reason = reasonAt(level, result);
    reasons.set(reason, [...(reasons.get(reason) ?? []), level]);
  }
  return reasons;
}

function reasonIn({ reason, detail = reason }: UnknownVerdict): string {
  if (reason === 'cut-off')
    return `${detail}; --allow-cut-off takes that for satisfied, isolab collect --resume goes on where the database still has the data`;
  const isVacuous = reason === 'nothing-to-judge' || reason === 'needs-times';
  return isVacuous ? `${detail}; --allow-vacuous takes that for satisfied` : detail;
}

/** What is to be known of a collection that was not ended: the verdict is right, but only about what is there. */
export function cutOffNote({ source }: History): string | null {
  const line = source.notes['cutOffAfterLine'];
  return line === undefined
    ? null
    : `its collection was cut off after line ${line}; the verdict is about what was recorded until then.`;
}

/** The same, but that what is satisfied is unknown: what a part of a history does not show may be in the rest. */
export function withoutPasses(result: LevelsReport, why: string): LevelsReport {
  const { levels, reports, whyUnknown } = result;
  const taken = (Object.keys(levels) as LevelName[]).filter((level) => levels[level] === 'satisfied');
  const unknownAt = (level: LevelName): UnknownVerdict => ({
    status: 'unknown',
    reason: 'incomplete',
    detail: `${why}, and what was recorded until then satisfies ${level}`,
  });
  return {
    ...result,
    levels: { ...levels, ...Object.fromEntries(taken.map((level) => [level, 'unknown'])) },
    whyUnknown: { ...whyUnknown, ...Object.fromEntries(taken.map((level) => [level, unknownAt(level)])) },
    strongest: [],
    reports: reports.map((report) =>
      report.verdict.status === 'satisfied' ? { ...report, verdict: unknownAt(report.level) } : report,
    ),
  };
}
