import { type Names, type Table, WITHOUT_KEY } from './catalog.ts';
import type { Reason } from './followed.ts';
import { type Node, list, text, the } from './tree.ts';

/** Returns the tables of a FROM clause, and whether it has nothing else. */
export function tablesIn(from: readonly Node[]): { readonly ranges: readonly Node[]; readonly isWhole: boolean } {
  const ranges: Node[] = [];
  let isWhole = true;
  const visit = (node: unknown): void => {
    const range = the('RangeVar', node);
    const join = the('JoinExpr', node);
    if (range) ranges.push(range);
    else if (join && join['alias'] === undefined) [join['larg'], join['rarg']].forEach(visit);
    else isWhole = false;
  };
  from.forEach(visit);
  return { ranges, isWhole };
}

export const nameOfTable = (range: Node): string =>
  text((range['alias'] as Node | undefined)?.['aliasname']) || text(range['relname']);

/** Returns whether a table is a system table, which has no user data. */
export function isOfSystem(range: Node): boolean {
  const schema = text(range['schemaname']);
  return (
    schema === 'pg_catalog' ||
    schema === 'information_schema' ||
    (schema === '' && text(range['relname']).startsWith('pg_'))
  );
}

/** Returns the table if its rows can be tracked, or else the reason why they cannot. */
export function findTable(range: Node, names: Names): Table | Reason {
  if (names.doubt !== null) return names.doubt;
  if (text(range['schemaname']) === '' && names.temporary.has(text(range['relname']))) return 'a temporary table';
  if (list((range['alias'] as Node | undefined)?.['colnames']).length > 0) return 'renamed columns';
  const table = tableOf(range, names);
  // It may have been created after the catalog was read.
  if (!table) return 'an unknown table';
  if (names.unreadable.has(`${table.schema}.${table.table}`)) return 'a table that the user may not read';
  // Text that is inserted into a statement must be valid in every client encoding.
  if (!table.isWhole && table.key.some((column) => BEYOND_ASCII.test(column))) return 'a key with non-ASCII letters';
  return table.problem ?? table;
}

const BEYOND_ASCII = /\P{ASCII}/u;

function tableOf(range: Node, { catalog, schemas, temporary }: Names): Table | undefined {
  const schema = text(range['schemaname']);
  if (schema === '' && temporary.has(text(range['relname']))) return undefined;
  const places = schema === '' ? schemas : [schema];
  return places
    .map((place) => catalog.tables.get(`${place}.${text(range['relname'])}`))
    .find((found) => found !== undefined);
}

/** Returns whether writes to a table affect only that table, and it has no primary key. */
export function isWithoutKey(range: Node, names: Names): boolean {
  const table = tableOf(range, names);
  return table !== undefined && table.problem === WITHOUT_KEY && table.sideEffect === null;
}
