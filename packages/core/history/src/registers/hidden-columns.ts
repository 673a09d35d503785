import { atomOf, withReplacedTexts } from '../columns/atoms.ts';
import { type History, rowsOf } from '../history/history.ts';
import { OpKind } from '../columns/operation.ts';
import { comparisonsOf } from '../rows/predicate.ts';
import { rowOfText, textOfRow } from '../rows/row.ts';

/** Returns whether removing hidden columns would merge versions of a row or affect a scan. */
export function mergesVersions(history: History): boolean {
  const known = merging.get(history);
  if (known !== undefined) return known;
  const { hiddenColumns = [] } = history.source;
  const merges =
    hiddenColumns.length > 0 && (asksHidden(history) || versionsAsSeen(history).some(({ isMerged }) => isMerged));
  merging.set(history, merges);
  return merges;
}

/** Results by history: each of many stories asks for the same history. */
const merging = new WeakMap<History, boolean>();

/**
 * Returns the history as its clients saw it, without hidden columns; null if that merges versions in tables.
 * Versions of a lowered history are texts, with a number where clients could not distinguish them.
 */
export function withoutHiddenColumns(history: History): History | null {
  const { hiddenColumns, ...source } = history.source;
  if (hiddenColumns === undefined) return history;
  const versions = versionsAsSeen(history);
  const hasTables = history.scans.tables.length > 0;
  if (hasTables && mergesVersions(history)) return null;
  const texts = versions.flatMap(({ shown, values, isMerged }) =>
    values.map((value, i) => [value, isMerged ? `${shown} (version ${i + 1})` : shown] as const),
  );
  return { ...history, source, values: withReplacedTexts(history.values, new Map(texts)) };
}

function asksHidden({ source: { hiddenColumns = [] }, scans }: History): boolean {
  const conditions = scans.predicates.flatMap((predicate) =>
    Array.from(comparisonsOf(predicate), ([column]) => column),
  );
  const columns = scans.aggregates.flatMap((aggregate) => (aggregate.kind === 'count' ? [] : [aggregate.column]));
  return [...conditions, ...columns].some((column) => hiddenColumns.includes(column));
}

interface Seen {
  /** Text of the versions as seen by clients. */
  readonly shown: string;
  readonly values: readonly number[];
  /** Whether `values` contains two versions of the same row. */
  readonly isMerged: boolean;
}

/** Groups the versions of rows by their visible columns. */
function versionsAsSeen(history: History): Seen[] {
  const rows = rowsOf(history);
  if (rows === null) return [];
  const { opKind, opKey, opValue, keyInitial, scans } = history;
  const byText = new Map<string, Map<number, Set<number>>>(); // by visible text: the keys of each value
  const known = new Map<number, string | null>();
  const add = (key: number, value: number): void => {
    if (!(rows.row[key]! >= 0) || rows.condition[key]! >= 0) return;
    if (!known.has(value)) known.set(value, textAsSeen(history, value));
    const shown = known.get(value)!;
    if (shown === null) return;
    const values = byText.get(shown) ?? new Map<number, Set<number>>();
    byText.set(shown, values.set(value, (values.get(value) ?? new Set()).add(key)));
  };
  keyInitial.forEach((value, key) => add(key, value));
  for (let op = 0; op < opKind.length; op++)
    if (opKind[op] === OpKind.Read || opKind[op] === OpKind.Write) add(opKey[op]!, opValue[op]!);
  scans.rowKey.forEach((key, i) => add(key, scans.rowValue[i]!));
  return Array.from(byText, ([shown, values]) => {
    const keys = [...values.values()].flatMap((each) => [...each]);
    return { shown, values: [...values.keys()], isMerged: new Set(keys).size < keys.length };
  });
}

function textAsSeen({ values, source: { hiddenColumns = [] } }: History, value: number): string | null {
  const text = atomOf(values, value);
  if (typeof text !== 'string' || !text.startsWith('{')) return null;
  const columns = Object.entries(rowOfText(text)).filter(([column]) => !hiddenColumns.includes(column));
  return textOfRow(Object.fromEntries(columns));
}
