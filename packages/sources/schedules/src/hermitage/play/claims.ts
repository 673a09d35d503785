import { type LevelName, implies } from '@isolab/contract';
import type { Case } from '../cases/case.ts';
import type { LevelReport } from './run.ts';

/** Comparison of the table with the claim of a level. */
export interface ClaimCheck {
  readonly isolation: string;
  readonly claims: LevelName | null;
  /** Cases that the claim forbids, by result. */
  readonly prevented: readonly string[];
  readonly possible: readonly string[];
  readonly unknown: readonly string[];
  /** Cases that were prevented although the claim allows them. */
  readonly more: readonly string[];
}

/** Returns whether a history with this anomaly violates the level. */
export const forbids = (level: LevelName, { forbiddenBy }: Case): boolean =>
  forbiddenBy.some((weakest) => implies(level, weakest));

export function checkClaims({ name, claims, cells }: LevelReport, cases: readonly Case[]): ClaimCheck {
  const isForbidden = (wanted: string): boolean => {
    const found = cases.find((one) => one.name === wanted);
    return claims !== null && found !== undefined && forbids(claims, found);
  };
  const names = (outcome: string, forbidden = true): readonly string[] =>
    cells.filter((cell) => cell.outcome === outcome && isForbidden(cell.case) === forbidden).map((cell) => cell.case);
  return {
    isolation: name,
    claims,
    prevented: names('prevented'),
    possible: names('possible'),
    unknown: names('unknown'),
    more: names('prevented', false),
  };
}

/** Formats `REPEATABLE READ claims snapshot-isolation; the 11 cases that it forbids were all prevented.` */
export function claimText({ isolation, claims, prevented, possible, unknown, more }: ClaimCheck): string {
  const name = isolation.toUpperCase();
  const beyond = more.length === 0 ? '' : ` It also prevented ${listed(more)}, which it need not prevent.`;
  if (claims === null) return `${name} claims none of isolab’s levels.${beyond}`;
  const all = prevented.length + possible.length + unknown.length;
  const said = `${name} claims ${claims}`;
  if (all === 0) return `${said}, which forbids none of these cases.${beyond}`;
  if (possible.length > 0)
    return `${said}, but of the ${cases(all)} that it forbids, ${listed(possible)} ${possible.length === 1 ? 'was' : 'were'} possible.${beyond}`;
  if (unknown.length > 0)
    return `${said}; of the ${cases(all)} that it forbids, ${prevented.length} were prevented, and the result is unknown for ${listed(unknown)}.${beyond}`;
  return `${said}; the ${cases(all)} that it forbids ${all === 1 ? 'was' : 'were all'} prevented.${beyond}`;
}

const cases = (n: number): string => `${n} ${n === 1 ? 'case' : 'cases'}`;

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join('; ')} and ${names.at(-1)}`;
