import {
  type Aggregate,
  type History,
  NIL,
  OpKind,
  type OperationId,
  type Predicate,
  type Row,
  type Scalar,
  UNKNOWN_VALUE,
  atomOf,
  isOpaque,
  matches,
  rowOfText,
} from '@isolab/history';
import { refuse, show } from './verdict/flaw.ts';

/**
 * Refuses unless, in an order of begins (2t) and commits (2t + 1), each scan returned exactly the matching rows at its
 * transaction's begin, including own writes, and each aggregate covers these rows. The returned versions are verified
 * elsewhere (docs/certificates.md).
 */
export function verifyScans(history: History, events: Iterable<number>): void {
  if (history.scans.table.length === 0) return;
  const tables = new Tables(history);
  for (const event of events) {
    if (event % 2 === 0) verifyTransaction(history, event >> 1, tables);
    else tables.commit(event >> 1);
  }
}

/** Yields begin and commit of each transaction in turn. */
export function* asEvents(order: Iterable<number>): Generator<number> {
  for (const t of order) {
    yield 2 * t;
    yield 2 * t + 1;
  }
}

function verifyTransaction(history: History, t: number, tables: Tables): void {
  const { txnStart, opKind, opKey, opValue, scans } = history;
  const own = new Map<number, number>();
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    if (opKind[op] === OpKind.Write) own.set(opKey[op], opValue[op]);
    if (opKind[op] !== OpKind.Scan) continue;
    const scan = opValue[op];
    const where = scans.predicates[scans.predicate[scan]]!;
    // For an unmodelled condition, these rows match regardless of the condition.
    const matching = tables.matching(scans.table[scan], where, own);
    if (scans.aggregate[scan] < 0) verifyRows(history, op, t, matching);
    else if (!isOpaque(where)) verifyAggregate(history, op, t, [...matching.values()]);
  }
}

function verifyRows(
  { keys, opValue, scans }: History,
  op: OperationId,
  t: number,
  matching: ReadonlyMap<number, Row>,
): void {
  const scan = opValue[op];
  const isModelled = !isOpaque(scans.predicates[scans.predicate[scan]]!);
  const returned = new Set<number>();
  for (let i = scans.rowStart[scan]; i < scans.rowStart[scan + 1]; i++) {
    const row = scans.rowKey[i];
    returned.add(row);
    if (isModelled && scans.rowValue[i] === UNKNOWN_VALUE && !matching.has(row))
      refuse(
        `operation ${op} of the history, in transaction ${t}, returned ${show(atomOf(keys, row))}, which does not match in the order`,
      );
  }
  for (const row of matching.keys())
    if (!returned.has(row))
      refuse(
        `operation ${op} of the history, in transaction ${t}, did not return ${show(atomOf(keys, row))}, which matches in the order`,
      );
}

function verifyAggregate({ opValue, scans }: History, op: OperationId, t: number, rows: readonly Row[]): void {
  const stated = scans.aggregates[scans.aggregate[opValue[op]]]!;
  const found = aggregateOf(stated, rows);
  if (!isSame(stated, found, rows))
    refuse(
      `the ${stated.kind} of operation ${op} of the history, in transaction ${t}, is ${stated.result}, but in the order it is ${found}`,
    );
}

/** The current rows of each table. */
class Tables {
  readonly #history: History;
  readonly #present: Map<number, number>[]; // versions by row
  readonly #contents = new Map<number, Row>();

  constructor(history: History) {
    this.#history = history;
    this.#present = history.scans.tables.map(() => new Map());
    history.keyInitial.forEach((version, row) => this.#write(row, version));
  }

  commit(t: number): void {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
      if (opKind[op] === OpKind.Write) this.#write(opKey[op], opValue[op]);
  }

  /** The matching rows, with the reader's own writes applied. */
  matching(table: number, where: Predicate, own: ReadonlyMap<number, number>): Map<number, Row> {
    const found = new Map<number, Row>();
    const add = (row: number, version: number): void => {
      const columns = this.#contentOf(version);
      if (matches(where, columns)) found.set(row, columns);
    };
    for (const [row, version] of this.#present[table]!) if (!own.has(row)) add(row, version);
    for (const [row, version] of own)
      if (this.#history.scans.keyTable[row] === table && isThere(version)) add(row, version);
    return found;
  }

  #write(row: number, version: number): void {
    const table = this.#history.scans.keyTable[row];
    if (!(table >= 0)) return;
    if (isThere(version)) this.#present[table]!.set(row, version);
    else this.#present[table]!.delete(row);
  }

  #contentOf(version: number): Row {
    let row = this.#contents.get(version);
    if (row === undefined)
      this.#contents.set(version, (row = rowOfText(atomOf(this.#history.values, version) as string)));
    return row;
  }
}

const isThere = (version: number): boolean => version !== NIL && version !== UNKNOWN_VALUE;

function aggregateOf(aggregate: Aggregate, rows: readonly Row[]): Scalar {
  if (aggregate.kind === 'count') return rows.length;
  let result: Scalar = null;
  for (const { [aggregate.column]: value = null } of rows) {
    if (value === null) continue;
    if (aggregate.kind === 'sum') result = Number(result) + Number(value);
    else if (result === null || (aggregate.kind === 'min' ? value < result : value > result)) result = value;
  }
  return result;
}

/** Sums of fractions depend on the order of addition. */
function isSame(stated: Aggregate, found: Scalar, rows: readonly Row[]): boolean {
  if (stated.result === found) return true;
  if (stated.kind !== 'sum' || typeof found !== 'number' || Number.isInteger(found)) return false;
  const size = rows.reduce((sum, row) => sum + Math.abs(Number(row[stated.column] ?? 0)), 0);
  return Math.abs(Number(stated.result) - found) <= ROUNDING * size;
}

const ROUNDING = 1e-12;
