import { CollectorError } from '@isolab/collector';
import { tableNames } from '../cases/case.ts';
import { type Transactions, stepsOf } from '../cases/transactions.ts';

/**
 * Parses SQL in sections: `-- tables`, then `-- T1`, `-- T2` and so on for the transactions. A statement ends with a
 * semicolon at the end of a line; BEGIN and COMMIT are optional.
 */
export function readTransactions(text: string): Transactions {
  const parts = partsOf(text);
  const tables = parts.get('tables');
  if (tables === undefined || tables.length === 0) throw new CollectorError(`There are no tables. ${EXPECTED}`);
  for (const name of tableNames(tables))
    if (!/^isolab_\w+$/i.test(name))
      throw new CollectorError(
        `The table ${name} would be dropped. Expected names that begin with isolab_, such as isolab_${name}.`,
      );
  const names = [...parts.keys()].filter((name) => name !== 'tables').toSorted();
  if (names.length < 2 || names.length > MOST_TRANSACTIONS)
    throw new CollectorError(`There are ${names.length} transactions, expected 2 to ${MOST_TRANSACTIONS}. ${EXPECTED}`);
  const stepsIn = (name: string): ReturnType<typeof stepsOf> => {
    const steps = stepsOf(name, parts.get(name)!);
    if (steps.length > 2) return steps;
    throw new CollectorError(`The transaction ${name} has no statement. ${EXPECTED}`);
  };
  return { tables, steps: new Map(names.map((name) => [name, stepsIn(name)])) };
}

const MOST_TRANSACTIONS = 4;

const EXPECTED = 'Expected sections that begin with the lines “-- tables”, “-- T1” and “-- T2”, with SQL statements.';

function partsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const parts = new Map<string, string[]>();
  let statement = '';
  let part: string[] | null = null;
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const [, heading] = /^--\s*(tables|T[1-9])\s*$/.exec(line) ?? [];
    if (heading !== undefined) {
      if (statement !== '')
        throw new CollectorError(`Line ${i + 1}: the statement before ${heading} has no semicolon.`);
      if (parts.has(heading)) throw new CollectorError(`Line ${i + 1}: the section ${heading} appears twice.`);
      parts.set(heading, (part = []));
    } else if (line.trim() !== '' && !/^\s*--/.test(line)) {
      if (part === null)
        throw new CollectorError(`Line ${i + 1}: ${line.trim()} stands before the first section. ${EXPECTED}`);
      statement = `${statement} ${line.trim()}`.trim();
      if (!statement.endsWith(';')) continue;
      part.push(statement.slice(0, -1).trim());
      statement = '';
    }
  }
  if (statement !== '') throw new CollectorError(`The last statement has no semicolon: ${statement}`);
  return parts;
}
