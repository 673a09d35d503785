import type { Predicate, Row } from '@isolab/history';
import {
  type ChangedRow,
  type DeletedRow,
  type JoinedRow,
  type Table,
  type TableAnswer,
  type TableRequest,
  type TableRow,
  idAsked,
} from '@isolab/workloads';

const READS: ReadonlySet<TableRequest['kind']> = new Set(['get', 'select', 'aggregate', 'join']);

/** Returns whether a request may change data. */
export const writesRows = ({ kind }: TableRequest): boolean => !READS.has(kind);

/**
 * Returns the request and its answer as operations of the format. A change by predicate becomes a scan of the matching
 * rows and a put of each new version; a change by id, a get and a put; a join, a scan and a get of each row of the
 * other table. An insert implies nothing about an earlier row, except that an insert that found a row shows that the
 * row exists.
 * `seesOneState`: whether a change finds its rows in a single state of the table. At weak levels it does not:
 * PostgreSQL searches a snapshot, waits for rows that other transactions have changed, and then evaluates the predicate
 * on the newest version of only these rows. In that case only the found rows are certain, each by itself, and the rows
 * that the change passed over stay unknown.
 */
export function rowOperationsOf(request: TableRequest, answer: TableAnswer, seesOneState: boolean): string[] {
  const { table } = request;
  switch (request.kind) {
    case 'get':
      return [get(table, request.id, answer as TableRow | null)];
    case 'select':
      return scan(
        table,
        request.where,
        (answer as readonly TableRow[]).map((row) => [row.id, row]),
      );
    case 'aggregate': {
      const { of } = request;
      const column = of.kind === 'count' ? [] : [of.column];
      return [JSON.stringify([of.kind, table.name, request.where, ...column, answer])];
    }
    case 'join': {
      const pairs = answer as readonly JoinedRow[];
      return [
        ...scan(
          table,
          request.where,
          pairs.map(({ row }) => [row.id, row]),
        ),
        ...pairs.map(({ row, other }) => get(request.other, row[request.by] as number, other)),
      ];
    }
    case 'insert-row': {
      const { id } = request.row;
      return answer === true ? [put(table, id, request.row)] : scan(table, ['=', 'id', id], [[id, null]]);
    }
    case 'update': {
      const changes = answer as readonly ChangedRow[];
      const found = changes.map(({ old, row }): Found => [row.id, old]);
      return [
        ...searched(table, request.where, found, seesOneState),
        ...changes.map(({ row }) => put(table, row.id, row)),
      ];
    }
    case 'delete-rows': {
      const found = (answer as readonly DeletedRow[]).map(({ id, old }): Found => [id, old]);
      return [...searched(table, request.where, found, seesOneState), ...found.map(([id]) => put(table, id, null))];
    }
  }
}

/** Returns the search of a change. A search by id is a get of that row. */
function searched(table: Table, where: Predicate, found: readonly Found[], seesOneState: boolean): string[] {
  if (!seesOneState) return gets(table, found);
  const id = idAsked(where);
  if (id === null) return scan(table, where, found);
  return found.length === 0 ? [get(table, id, null)] : gets(table, found);
}

type Found = readonly [id: number, row: Row | null];

/**
 * A scan lists each row once. If the database returned several versions of a row, the scan has the first, and gets
 * record the others.
 */
function scan({ name, ...rest }: Table, where: Predicate, found: readonly Found[]): string[] {
  const first = new Map<number, Row | null>();
  const more: string[] = [];
  for (const [id, row] of found) {
    if (!first.has(id)) first.set(id, row);
    else if (row !== null) more.push(get({ name, ...rest }, id, row));
  }
  return [JSON.stringify(['scan', name, where, [...first]]), ...more];
}

/** If the version of a row is unknown, the row still exists. */
const gets = (table: Table, found: readonly Found[]): string[] =>
  found.flatMap(([id, row]) => (row === null ? scan(table, ['=', 'id', id], [[id, null]]) : [get(table, id, row)]));

const get = ({ name }: Table, id: number, row: Row | null): string => JSON.stringify(['get', name, id, row]);
const put = ({ name }: Table, id: number, row: Row | null): string => JSON.stringify(['put', name, id, row]);
