import { isLocking } from './programs.ts';
import { beforeWhere, computes } from '../sql/assignments.ts';
import { oneLine } from '../sql/origin.ts';
import type { Level } from '../sql/planned.ts';
import { type Framework, frameworkOf } from './remedies.ts';

/** The facts about an anomaly that the advice depends on. */
export interface Advised {
  /** `lost-update` */
  readonly name: string;
  readonly preventedBy: Level;
  readonly parties: readonly Party[];
  /** The error after which a transaction is to be retried. */
  readonly refusal: string;
  /** The frameworks whose words the advice uses; null for the framework that wrote the statements. */
  readonly frameworks: readonly Framework[] | null;
}

interface Party {
  readonly name: string;
  readonly statements: readonly string[];
}

/**
 * Ways to prevent an anomaly, in terms of the application's own statements and of its framework; the preferred way comes
 * first.
 */
export function adviceFor(advised: Advised): string[] {
  const { name, preventedBy, parties, frameworks } = advised;
  const written = frameworkOf(parties.flatMap(({ statements }) => statements));
  const words = (frameworks ?? [written]).filter((each) => each !== null);
  const level = preventedBy.toUpperCase();
  const inWords = words.map((each) => {
    const ways = [
      ...(isOfReads(name) ? [] : [each.lock]),
      ...(name === 'lost-update' ? [each.compute] : []),
      each.level(level),
    ];
    return `With ${each.name}: ${ways.join('; or ')}`;
  });
  return [...waysFor(advised), ...inWords];
}

const isOfReads = (name: string): boolean => name === 'non-repeatable-read' || name === 'read-skew';

function waysFor({ name, preventedBy, parties, refusal }: Advised): string[] {
  // In anomalies of inconsistent reads, the reader comes first.
  const affected = isOfReads(name) ? parties.slice(0, 1) : parties;
  const level = `run ${namesOf(affected)} at ${preventedBy.toUpperCase()}, and retry on error ${refusal}.`;
  const reading = parties.map(lockable).find((read) => read !== null) ?? null;
  if (name === 'lost-update')
    return sentences([
      reading && `lock the row when it is read: ${reading} FOR UPDATE`,
      !parties.some(({ statements }) => statements.some(computes)) &&
        'let the UPDATE compute the new value from the column itself, such as SET n = n - 1',
      level,
    ]);
  if (preventedBy === 'serializable')
    return sentences([
      level,
      reading &&
        `lock the rows that the decision depends on: ${reading} FOR UPDATE (this does not lock rows that do not exist yet).`,
      'let the database check the rule: a unique, exclusion or CHECK constraint.',
    ]);
  return sentences([level, 'read once, and use that result until the end of the transaction.']);
}

const sentences = (ways: readonly (string | false | null)[]): string[] =>
  ways
    .filter((way) => typeof way === 'string')
    .map((way, i) => (i === 0 ? `${way[0]!.toUpperCase()}${way.slice(1)}` : `Or ${way}`));

const namesOf = (parties: readonly Party[]): string => [...new Set(parties.map(({ name }) => name))].join(' and ');

/** Finds the first statement that only reads and could lock its rows. */
function lockable({ statements }: Party): string | null {
  const read = statements.find((sql) => /^select\b/i.test(beforeWhere(oneLine(sql))));
  return read === undefined || isLocking(read) ? null : oneLine(read);
}
