import { CASES } from '../cases/index.ts';
import type { CellOutcome } from './cell.ts';
import type { HermitageReport } from './run.ts';

/** Published results about a database, by the database's name of a level and by case; an untried case is absent. */
export interface Published {
  readonly of: string;
  readonly source: string;
  readonly levels: Readonly<Record<string, Readonly<Record<string, 'prevented' | 'possible'>>>>;
}

export interface Difference {
  readonly isolation: string;
  readonly case: string;
  readonly published: 'prevented' | 'possible';
  readonly here: CellOutcome;
}

const TABLE = CASES.filter(({ group }) => group === 'hermitage').map(({ name }) => name);

/** Parses a row with one letter per case, in the order of the table: + prevented, - possible, · not tried. */
function row(letters: string): Readonly<Record<string, 'prevented' | 'possible'>> {
  const outcomes = letters.replaceAll(' ', '');
  if (outcomes.length !== TABLE.length)
    throw new Error(`${letters} has ${outcomes.length} letters, expected ${TABLE.length}.`);
  const cells = TABLE.flatMap((name, i) => {
    const outcome = ({ '+': 'prevented', '-': 'possible' } as const)[outcomes[i]!];
    return outcome === undefined ? [] : [[name, outcome] as const];
  });
  return Object.fromEntries(cells);
}

const SERIALIZABLE = row('+ +++ + ++ + +++ + ++');
const SNAPSHOT = row('+ +++ + ++ + +++ - -·');
const READ_COMMITTED = row('+ +++ + -- - -·· - -·');

const page = (name: string): string => `https://github.com/ept/hermitage/blob/master/${name}.md`;

/**
 * After Hermitage, by Martin Kleppmann and others: the variants of a case on the page of a database and, where its
 * table has a tick, all variants of the case. Where the table has a dash, variants that the page does not show are
 * absent.
 */
const HERMITAGE: Readonly<Record<'postgres' | 'mysql' | 'cockroach' | 'yugabyte', Published>> = {
  postgres: {
    of: 'PostgreSQL 9.3.5',
    source: page('postgres'),
    levels: {
      'read committed': READ_COMMITTED,
      'repeatable read': SNAPSHOT,
      serializable: SERIALIZABLE,
    },
  },
  mysql: {
    of: 'MySQL 5.6.21',
    source: page('mysql'),
    levels: {
      'read uncommitted': row('+ --- - -· - -·· - -·'),
      'read committed': READ_COMMITTED,
      'repeatable read': row('+ +++ + +- - ++- - -·'),
      serializable: SERIALIZABLE,
    },
  },
  cockroach: {
    of: 'CockroachDB 23.2.0-beta.1',
    source: page('cockroachdb'),
    levels: {
      'read committed': row('+ +++ + -+ - -·· - -·'),
      'repeatable read': SNAPSHOT,
      serializable: SERIALIZABLE,
    },
  },
  yugabyte: {
    of: 'YugabyteDB 2.13.2',
    source: page('yugabytedb'),
    levels: { 'read committed': READ_COMMITTED, 'repeatable read': SNAPSHOT, serializable: SERIALIZABLE },
  },
};

/**
 * Returns the published results for a database with this description, or for the database that it derives from; null if
 * none are published.
 */
export function publishedOf(description: string): Published | null {
  if (description.startsWith('CockroachDB')) return HERMITAGE.cockroach;
  if (/^PostgreSQL .*-YB-/.test(description)) return HERMITAGE.yugabyte;
  if (description.startsWith('PostgreSQL')) return HERMITAGE.postgres;
  return /^(?:MySQL|MariaDB)/.test(description) ? HERMITAGE.mysql : null;
}

/** Lists the cells in which a table differs from the published table. */
export function differencesFrom(published: Published, report: HermitageReport): readonly Difference[] {
  return report.levels.flatMap(({ name, cells }) =>
    cells.flatMap((cell) => {
      const said = published.levels[name]?.[cell.case];
      if (said === undefined || said === cell.outcome || cell.outcome === 'unknown') return [];
      return [{ isolation: name, case: cell.case, published: said, here: cell.outcome }];
    }),
  );
}

/** Counts the decided cells of a table that have a published counterpart. */
export const comparable = (published: Published, report: HermitageReport): number =>
  report.levels.reduce(
    (sum, { name, cells }) =>
      sum +
      cells.filter((cell) => cell.outcome !== 'unknown' && published.levels[name]?.[cell.case] !== undefined).length,
    0,
  );
