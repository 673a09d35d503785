/** Finds contradictions between checkers about one history at one level. */
import type { CheckerRef } from '@isolab/runner';
import type { ResultRow } from './row-shape.ts';
import type { Series } from '../experiment/experiment.ts';

export interface Disagreement {
  readonly level: string;
  readonly satisfied: string;
  readonly violated: string;
}

export class Verdicts {
  readonly #said = new Map<string, { satisfied?: string; violated?: string }>();
  /** For a set: number of histories that violate the level, and the series that reported the number. */
  readonly #counted = new Map<string, { readonly violated: number; readonly by: string }>();

  /** Records a reliable verdict; returns the contradiction, if there is one. */
  note(row: ResultRow, sha256: string, series: Series, checker: CheckerRef | null): Disagreement | null {
    const { verdict, level } = row;
    if (verdict !== 'satisfied' && verdict !== 'violated') return null;
    if (!isTrusted(series) || !isPromised(verdict, checker)) return null;
    const about = JSON.stringify([sha256, level]);
    const said = this.#said.get(about) ?? {};
    this.#said.set(about, said);
    const by = `${row.series} (${row.checker}${row.variant === null ? '' : `, ${row.variant}`})`;
    said[verdict] ??= by;
    const counted = this.#noteCounts(row, about, by, checker);
    if (counted !== null) return counted;
    const { satisfied, violated } = said;
    return satisfied !== undefined && violated !== undefined ? { level, satisfied, violated } : null;
  }

  /** For a set both verdicts count, so only a checker that promises both can contradict. */
  #noteCounts({ counters, level }: ResultRow, about: string, by: string, checker: CheckerRef | null) {
    const { histories, violated } = counters;
    if (histories === undefined || violated === undefined) return null;
    if (!isPromised('satisfied', checker) || !isPromised('violated', checker)) return null;
    const before = this.#counted.get(about) ?? { violated, by };
    this.#counted.set(about, before);
    if (before.violated === violated) return null;
    const tell = (name: string, count: number): string => `${name}: ${count} of ${histories} histories violated`;
    return { level, satisfied: tell(before.by, before.violated), violated: tell(by, violated) };
  }
}

/** Returns whether a series claims to be right; series that keep the blind spots of published tools do not. */
export const isTrusted = ({ trusted = true, variant, options }: Series): boolean =>
  trusted && variant !== 'as-published' && options?.['asPublished'] !== 'true';

/** A checker that misses anomalies, or reports false ones, says so in its description. */
function isPromised(verdict: 'satisfied' | 'violated', checker: CheckerRef | null): boolean {
  if (checker === null) return true;
  const { sound, complete, takesForFacts } = checker.checker.info;
  return verdict === 'satisfied' ? complete : sound && takesForFacts === undefined;
}
