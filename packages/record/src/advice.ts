import type { Involved } from './involved.ts';
import type { Level } from './sql/planned.ts';

/** What is known of an anomaly when advice is given. */
export interface Advised {
  /** `lost-update` */
  readonly name: string;
  readonly preventedBy: Level;
  readonly example: readonly Involved[];
}

/** Ways to prevent an anomaly, in the application's own statements; the one to prefer comes first. */
export function adviceFor({ name, preventedBy, example }: Advised): string[] {
  // Of a read that was not repeatable, the reader comes first.
  const affected = name === 'non-repeatable-read' ? example.slice(0, 1) : example;
  const level = `Run ${namesOf(affected)} at ${preventedBy.toUpperCase()}, and try again on error 40001.`;
  const reading = example.map(lockable).find((read) => read !== null) ?? null;
  if (name === 'lost-update') {
    return [
      ...(reading ? [`Lock the row when it is read: ${reading} FOR UPDATE.`] : []),
      'Or let the UPDATE compute the new value from the column itself, such as SET n = n - 1.',
      `Or ${level[0]!.toLowerCase()}${level.slice(1)}`,
    ];
  }
  if (preventedBy === 'serializable') {
    return [
      level,
      ...(reading
        ? [`Or lock what the decision rests on: ${reading} FOR UPDATE. Rows that are not there yet, it does not lock.`]
        : []),
      'Or let the database check the rule: a unique, exclusion or CHECK constraint.',
    ];
  }
  return [level, 'Or read once, and use that result to the end of the transaction.'];
}

const namesOf = (example: readonly Involved[]): string => example.map(({ name }) => name).join(' and ');

/** The first statement that only reads, and could lock what it reads. */
function lockable({ statements }: Involved): string | null {
  const read = statements.find((sql) => /^\s*(--[^\n]*\n\s*)*select\b/i.test(sql));
  return read === undefined || /\bfor\s+(no\s+key\s+)?(update|share|key\s+share)\b/i.test(read) ? null : read;
}
