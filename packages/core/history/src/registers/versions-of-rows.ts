import { type Atoms, atomOf } from '../columns/atoms.ts';
import { valueWritten } from '../history/entries.ts';
import type { History } from '../history/history.ts';
import { NIL } from '../columns/operation.ts';
import type { Predicate } from '../rows/predicate.ts';
import { RowIndex, type VersionOfRow } from '../rows/row-index.ts';
import { type Row, rowOfText } from '../rows/row.ts';

export const heldIn = (where: Predicate, column: string): Predicate => ['and', where, ['not', ['null', column]]];

const INDEXES = new WeakMap<History, readonly RowIndex[]>();

/** Returns the versions of every row, by table and in the order of row names; computed once per history. */
export function indexRows(history: History): readonly RowIndex[] {
  const known = INDEXES.get(history) ?? makeIndexes(history);
  INDEXES.set(history, known);
  return known;
}

function makeIndexes(history: History): RowIndex[] {
  const { scans, opKind, opKey, keyInitial } = history;
  const contents = contentsOf(history);
  const versionsOf = new Map<number, Map<number, Row>>();
  const absent = new Set<number>();
  const add = (row: number, value: number): void => {
    let versions = versionsOf.get(row);
    if (versions === undefined) versionsOf.set(row, (versions = new Map()));
    if (value === NIL) absent.add(row);
    else if (!versions.has(value)) versions.set(value, contents.of(value));
  };
  scans.keyTable.forEach((table, key) => {
    if (table >= 0) add(key, keyInitial[key]);
  });
  for (let op = 0; op < opKind.length; op++) {
    const key = opKey[op];
    if (key < 0 || !(scans.keyTable[key] >= 0)) continue;
    const value = valueWritten(history, op);
    if (value >= 0) add(key, value);
  }
  const rows: { row: number; versions: VersionOfRow[]; isEverAbsent: boolean }[][] = scans.tables.map(() => []);
  for (const [row, versions] of versionsOf) {
    rows[scans.keyTable[row]]!.push({
      row,
      versions: Array.from(versions, ([value, columns]) => ({ value, columns })),
      isEverAbsent: absent.has(row),
    });
  }
  const names = new Map(Array.from(versionsOf.keys(), (row) => [row, atomOf(history.keys, row) as string]));
  const byName = (a: { readonly row: number }, b: { readonly row: number }): number =>
    names.get(a.row)! < names.get(b.row)! ? -1 : 1;
  return rows.map((ofTable) => new RowIndex(ofTable.toSorted(byName)));
}

const CONTENTS = new WeakMap<Atoms, Contents>();

/** Returns the columns of a history's versions; each version is parsed once. */
export function contentsOf({ values }: History): Contents {
  const known = CONTENTS.get(values) ?? new Contents(values);
  CONTENTS.set(values, known);
  return known;
}

/** Columns parsed from the texts of versions. */
export class Contents {
  readonly #values: Atoms;
  readonly #parsed: Row[] = []; // by version

  constructor(values: Atoms) {
    this.#values = values;
  }

  of(value: number): Row {
    return (this.#parsed[value] ??= rowOfText(atomOf(this.#values, value) as string));
  }
}
