import {
  type Aggregate,
  type History,
  NIL,
  OpKind,
  type Row,
  type Scalar,
  UNKNOWN_VALUE,
  atomOf,
  isOpaque,
  matches,
} from '@isolab/history';
import { refuse } from './flaw.ts';

/**
 * Refuses unless each count, sum, least and greatest value is of the rows that there are when its transaction begins, and
 * of what that has written itself, in an order of begins (2t) and commits (2t + 1) that was verified otherwise. Reads of
 * single rows cannot say this (docs/certificates.md).
 */
export function verifyAggregates(history: History, events: Iterable<number>): void {
  if (history.scans.aggregates.length === 0) return;
  const tables = new Tables(history);
  for (const event of events) {
    if (event % 2 === 0) verifyTransaction(history, event >> 1, tables);
    else tables.commit(event >> 1);
  }
}

/** Begins and commits of transactions one after another. */
export function* asEvents(order: Iterable<number>): Generator<number> {
  for (const t of order) {
    yield 2 * t;
    yield 2 * t + 1;
  }
}

function verifyTransaction({ txnStart, opKind, opKey, opValue, scans }: History, t: number, tables: Tables): void {
  const own = new Map<number, number>();
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    if (opKind[op] === OpKind.Write) own.set(opKey[op], opValue[op]);
    if (opKind[op] !== OpKind.Scan || scans.aggregate[opValue[op]] < 0) continue;
    const where = scans.predicates[scans.predicate[opValue[op]]]!;
    if (isOpaque(where)) continue;
    const stated = scans.aggregates[scans.aggregate[opValue[op]]]!;
    const rows = tables.rowsOf(scans.table[opValue[op]], own).filter((row) => matches(where, row));
    const found = aggregateOf(stated, rows);
    if (!isSame(stated, found, rows))
      refuse(
        `the ${stated.kind} of operation ${op}, in transaction ${t}, is ${stated.result}, but of the rows that there are in the order it is ${found}`,
      );
  }
}

/** The rows that there are, by table. */
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

  rowsOf(table: number, own: ReadonlyMap<number, number>): Row[] {
    const rows: Row[] = [];
    for (const [row, version] of this.#present[table]!) if (!own.has(row)) rows.push(this.#contentOf(version));
    for (const [row, version] of own)
      if (this.#history.scans.keyTable[row] === table && isThere(version)) rows.push(this.#contentOf(version));
    return rows;
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
      this.#contents.set(version, (row = JSON.parse(atomOf(this.#history.values, version) as string) as Row));
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

/** Sums of fractions depend on the order in which they are added up. */
function isSame(stated: Aggregate, found: Scalar, rows: readonly Row[]): boolean {
  if (stated.result === found) return true;
  if (stated.kind !== 'sum' || typeof found !== 'number' || Number.isInteger(found)) return false;
  const size = rows.reduce((sum, row) => sum + Math.abs(Number(row[stated.column] ?? 0)), 0);
  return Math.abs(Number(stated.result) - found) <= ROUNDING * size;
}

const ROUNDING = 1e-12;
