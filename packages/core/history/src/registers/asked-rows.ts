import type { History } from '../history/history.ts';
import { contentsOf, heldIn, indexRows } from './versions-of-rows.ts';
import type { Constant, Predicate } from '../rows/predicate.ts';

/** A row that an aggregate may have included, with all of its versions that contribute the same amount. */
export interface AskedRow {
  readonly row: number;
  /** Value ids of these versions; null for all versions in which the row is present. */
  readonly some: readonly number[] | null;
  /**
   * A count adds 1; a sum adds its column, or null for a version without a value; a minimum or maximum adds the value
   * itself.
   */
  readonly adds: Constant | null;
  /** Predicate that these versions satisfy. */
  readonly where: Predicate;
}

const ASKED = new WeakMap<History, Map<string, readonly AskedRow[]>>();

/** Returns the rows that a scan's aggregate may have included, in the order of their names. */
export function askedRows(history: History, scan: number): readonly AskedRow[] {
  let known = ASKED.get(history);
  if (known === undefined) ASKED.set(history, (known = new Map()));
  const { table, predicate, aggregate, aggregates } = history.scans;
  const result = aggregates[aggregate[scan]]!;
  // The rows of a count or sum do not depend on its result.
  const asked = result.kind === 'count' || result.kind === 'sum' ? { ...result, result: null } : result;
  const name = `${table[scan]} ${predicate[scan]} ${JSON.stringify(asked)}`;
  let rows = known.get(name);
  if (rows === undefined) known.set(name, (rows = findAskedRows(history, scan)));
  return rows;
}

function findAskedRows(history: History, scan: number): AskedRow[] {
  const { table, predicate, predicates, aggregate, aggregates } = history.scans;
  const index = indexRows(history)[table[scan]]!;
  const condition = predicates[predicate[scan]]!;
  const result = aggregates[aggregate[scan]]!;
  const adding = (where: Predicate, adds: Constant | null): AskedRow[] =>
    index.matching(where).map((versions) => ({ ...versions, adds, where }));
  if (result.kind === 'count') return adding(condition, 1);
  const { column } = result;
  const exactly = (value: Constant): AskedRow[] => {
    const holds: Predicate = ['=', column, value];
    return adding(condition === true ? holds : ['and', condition, holds], value);
  };
  if (result.kind !== 'sum') return result.result === null ? [] : exactly(result.result);
  const held = heldIn(condition, column);
  const contents = contentsOf(history);
  const values = new Set(index.versionsMatching(held).map((version) => contents.of(version)[column]!));
  const all = [...[...values].toSorted((a, b) => Number(a) - Number(b)).flatMap(exactly), ...adding(held, null)];
  const rank = new Map(index.inOrder(new Set(all.map(({ row }) => row))).map((row, place) => [row, place]));
  return all.toSorted((a, b) => rank.get(a.row)! - rank.get(b.row)!);
}
