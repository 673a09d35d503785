import { type Predicate, type Scalar, matches } from '@isolab/history';
import type {
  ChangedRow,
  DeletedRow,
  JoinedRow,
  Setting,
  Table,
  TableAnswer,
  TableRequest,
  TableRow,
} from '@isolab/workloads';

/** Returns the checked answer of a driver to a request on rows, or a description of the expected answer. */
export function tableAnswerTo(request: TableRequest, raw: unknown): { answer: TableAnswer } | { expected: string } {
  const { table } = request;
  const row = (one: unknown): TableRow | null => rowOf(table, one);
  switch (request.kind) {
    case 'get': {
      const found = raw === null ? null : row(raw);
      const fits = raw === null || found?.id === request.id;
      return fits ? { answer: found } : { expected: `the row with id ${request.id}, ${shape(table)}, or null` };
    }
    case 'select': {
      const rows = listOf<TableRow>(raw, (one) => matching(row(one), request.where));
      return rows ? { answer: rows } : { expected: `the matching rows, ${shape(table)}` };
    }
    case 'aggregate': {
      const isCount = request.of.kind === 'count';
      const fits = isCount ? isWhole(raw) && (raw as number) >= 0 : raw === null || isWhole(raw);
      return fits
        ? { answer: raw as number | null }
        : { expected: isCount ? 'a number of rows' : 'a whole number or null' };
    }
    case 'join': {
      const pairs = listOf<JoinedRow>(raw, (one) => {
        const { row: mine, other } = (one ?? {}) as Readonly<Record<string, unknown>>;
        const found = matching(row(mine), request.where);
        const joined = other === null ? null : rowOf(request.other, other);
        const fits = found !== null && (other === null || joined?.id === found[request.by]);
        return fits ? { row: found, other: joined } : null;
      });
      return pairs
        ? { answer: pairs }
        : { expected: 'the matching rows, each with the row that it refers to, or null' };
    }
    case 'insert-row':
      return typeof raw === 'boolean' && (raw || request.ifAbsent)
        ? { answer: raw }
        : { expected: 'true if the row was inserted, otherwise false' };
    case 'update': {
      const changes = listOf<ChangedRow>(raw, (one) => changeIn(table, one, request.where, request.set));
      return changes ? { answer: changes } : { expected: 'the matching rows before and after the update' };
    }
    case 'delete-rows': {
      const gone = listOf<DeletedRow>(raw, (one) => {
        const { id, old } = (one ?? {}) as Readonly<Record<string, unknown>>;
        const was = matching(row(old), request.where);
        return isWhole(id) && (old === null || was?.id === id) ? { id: id as number, old: was } : null;
      });
      return gone ? { answer: gone } : { expected: 'the deleted rows, as they were before' };
    }
  }
}

function changeIn(table: Table, raw: unknown, where: Predicate, set: Setting): ChangedRow | null {
  const { old, row } = (raw ?? {}) as Readonly<Record<string, unknown>>;
  const now = rowOf(table, row);
  const was = old === null ? null : matching(rowOf(table, old), where);
  if (now === null || (old !== null && was?.id !== now.id)) return null;
  return Object.entries(set).every(([column, value]) => now[column] === value) ? { old: was, row: now } : null;
}

/** Returns the row if it matches the predicate, otherwise null. */
const matching = (row: TableRow | null, where: Predicate): TableRow | null =>
  row !== null && matches(where, row) ? row : null;

/** Returns the row with exactly the columns of its table, or null if a value has the wrong type. */
function rowOf({ columns }: Table, raw: unknown): TableRow | null {
  if (typeof raw !== 'object' || raw === null) return null;
  const given = raw as Readonly<Record<string, unknown>>;
  const row: Record<string, Scalar> = {};
  for (const column of ['id', ...Object.keys(columns), 'v']) {
    const value = given[column];
    if (columns[column] === 'boolean' ? typeof value !== 'boolean' : !isWhole(value)) return null;
    row[column] = value as Scalar;
  }
  return row as TableRow;
}

const isWhole = (raw: unknown): boolean => Number.isSafeInteger(raw);

/** Converts the elements of a list; returns null if one of them is invalid. */
export function listOf<Element>(raw: unknown, element: (raw: unknown) => Element | null): Element[] | null {
  if (!Array.isArray(raw)) return null;
  const elements = (raw as readonly unknown[]).map(element);
  return elements.includes(null) ? null : (elements as Element[]);
}

const shape = ({ columns }: Table): string =>
  `{${['id', ...Object.keys(columns), 'v'].map((column) => `${column}: ${columns[column] ?? 'integer'}`).join(', ')}}`;
