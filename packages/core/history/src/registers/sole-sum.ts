import type { RowIndex } from '../rows/row-index.ts';
import type { AskedRow } from './asked-rows.ts';

/**
 * Returns, for each row that a sum may include, the versions that it must have included, with the amount that they add,
 * or null for a row that it must have left out; null if that is not certain, row by row, from the largest amounts to the
 * smallest. Only whole numbers are added, because fractions are rounded. A row that adds in each version was added,
 * unless it is `denied`.
 */
export function soleSum(
  asked: readonly AskedRow[],
  result: number,
  index: RowIndex,
  denied: ReadonlySet<number>,
): readonly AskedRow[] | null {
  let known = CHOICES.get(denied);
  if (known === undefined) CHOICES.set(denied, (known = new WeakMap()));
  let choices = known.get(asked);
  if (choices === undefined) known.set(asked, (choices = choicesOf(asked, index, denied)));
  if (choices === null) return null;
  const { rows, least, most, place } = choices;
  const taken: AskedRow[] = [];
  let left = result;
  let isEmpty = true;
  for (const [i, row] of rows.entries()) {
    const fitting = row.filter(({ adds }) => {
      const rest = left - Number(adds ?? 0);
      return least[i + 1]! <= rest && rest <= most[i + 1]!;
    });
    const [one] = fitting;
    if (one === undefined || fitting.length > 1) return null;
    taken[place[i]!] = one;
    left -= Number(one.adds ?? 0);
    isEmpty &&= one.adds === null;
  }
  // A sum of no rows is null.
  return isEmpty ? null : taken;
}

const CHOICES = new WeakMap<ReadonlySet<number>, WeakMap<readonly AskedRow[], Choices | null>>();

/** Choices of the rows, those with the largest amounts first. */
interface Choices {
  readonly rows: readonly (readonly AskedRow[])[];
  /** Smallest and largest sum of the rows from each row on, with one extra slot. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** Place of each row in the order of the names. */
  readonly place: readonly number[];
}

function choicesOf(asked: readonly AskedRow[], index: RowIndex, denied: ReadonlySet<number>): Choices | null {
  const byRow = new Map<number, AskedRow[]>();
  for (const one of asked)
    if (!isWithoutVersion(one, index) || denied.has(one.row)) byRow.set(one.row, [...(byRow.get(one.row) ?? []), one]);
  const named = [...byRow.values()];
  const size = (row: readonly AskedRow[]): number => Math.max(...row.map(({ adds }) => Math.abs(Number(adds ?? 0))));
  const isExact = named.reduce((sum, row) => sum + size(row), 0) <= Number.MAX_SAFE_INTEGER;
  if (!isExact || !asked.every(({ adds }) => Number.isInteger(Number(adds ?? 0)))) return null;
  const place = Array.from(named.keys()).toSorted((a, b) => size(named[b]!) - size(named[a]!));
  const rows = place.map((i) => named[i]!);
  const least = new Float64Array(rows.length + 1);
  const most = new Float64Array(rows.length + 1);
  for (let i = rows.length - 1; i >= 0; i--) {
    const amounts = rows[i]!.map(({ adds }) => Number(adds ?? 0));
    least[i] = least[i + 1]! + Math.min(...amounts);
    most[i] = most[i + 1]! + Math.max(...amounts);
  }
  return { rows, least, most, place };
}

/** Returns whether a sum without the row would have read no version, because each version adds to the sum. */
export const isWithoutVersion = ({ row, some, adds }: AskedRow, index: RowIndex): boolean =>
  adds === null && some === null && !index.isEverAbsent(row);

/** A larger table makes each of its sums expensive. */
export const MOST_ROWS = 1000;
