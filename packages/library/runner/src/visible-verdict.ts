import type { FoundAnomaly, Verdict, Warning } from '@isolab/contract';
import { visibleLine } from '@isolab/history';

/** Returns the verdict with all of the checker's texts made printable. */
export function visibleVerdict(verdict: Verdict): Verdict {
  if (verdict.status === 'unknown')
    return verdict.detail === undefined ? verdict : { ...verdict, detail: visible(verdict.detail) };
  const warnings = verdict.warnings === undefined ? {} : { warnings: verdict.warnings.map(visibleWarning) };
  if (verdict.status === 'satisfied') return { ...verdict, ...warnings };
  return { ...verdict, ...warnings, anomalies: verdict.anomalies.map(visibleAnomaly) };
}

const visibleWarning = (warning: Warning): Warning => ({
  ...warning,
  name: visible(warning.name) as Warning['name'],
  text: visible(warning.text),
});

const visibleAnomaly = (anomaly: FoundAnomaly): FoundAnomaly =>
  anomaly.pattern === undefined ? anomaly : { ...anomaly, pattern: visible(anomaly.pattern) };

/** The value may have another type, because a plug-in may be written without types. */
const visible = (text: unknown): string => visibleLine(String(text));
