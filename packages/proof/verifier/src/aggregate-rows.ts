import {
  type Aggregate,
  type History,
  NIL,
  OpKind,
  type OperationId,
  type RegisterHistory,
  type Row,
  UNKNOWN_VALUE,
  atomOf,
  countKeys,
  matches,
  registersOf,
  rowOfText,
} from '@isolab/history';
import { refuse } from './verdict/flaw.ts';

/** Contribution of a row version to an aggregate; null for no contribution. */
export type Adds = Row[string] | null;

export type Item = RegisterHistory['items'][number];

/** An aggregate, with its result and the contribution of each row version of its table. */
export interface StatedAggregate {
  readonly stated: Aggregate;
  readonly adds: (version: number) => Adds;
}

/** Lowers a history so that these aggregates also read each row that they may cover. */
export function lowerWithRows(history: History, aggregates: readonly number[]): RegisterHistory {
  const other = aggregates.find((op) => history.opKind[op] !== OpKind.Scan);
  if (other !== undefined) refuse(`operation ${other} of the history is not a scan`);
  try {
    return registersOf(history, { certificate: { kind: 'aggregates', aggregates } });
  } catch (error) {
    if (error instanceof RangeError) refuse(`in the list of aggregates, ${error.message}`);
    throw error;
  }
}

/** The item that an aggregate reads with an unknown result in a lowered history; undefined for other operations. */
export function itemAsked(
  history: History,
  { history: lowered, items }: RegisterHistory,
  read: OperationId,
): Item | undefined {
  const isOpen = lowered.opKind[read] === OpKind.Read && lowered.opValue[read] === UNKNOWN_VALUE;
  return isOpen ? items[lowered.opKey[read] - countKeys(history)] : undefined;
}

/** Returns whether an item represents a version. */
export const isAmong = ({ some }: Item, version: number): boolean => version !== NIL && (some?.has(version) ?? true);

/** The rows that the aggregates of a history may cover, in all their versions. */
export class AggregateRows {
  readonly #history: History;
  readonly #contents = new Map<number, Row>(); // by version
  #versions: ReadonlyMap<number, ReadonlySet<number>> | null = null; // by row
  /** Remaining number of sums to examine. */
  #sumsLeft: number;

  constructor(history: History, mostSums: number) {
    this.#history = history;
    this.#sumsLeft = mostSums;
  }

  of(op: OperationId): StatedAggregate {
    const { scans, opValue } = this.#history;
    const scan = opValue[op];
    const stated = scans.aggregates[scans.aggregate[scan]]!;
    const where = scans.predicates[scans.predicate[scan]]!;
    const adds = (version: number): Adds => {
      if (version === NIL || version === UNKNOWN_VALUE) return null;
      const columns = this.#contentOf(version);
      if (!matches(where, columns)) return null;
      return stated.kind === 'count' ? 1 : (columns[stated.column] ?? null);
    };
    return { stated, adds };
  }

  rowsOf(op: OperationId): number[] {
    const { scans, opValue } = this.#history;
    const table = scans.table[opValue[op]];
    return Array.from(scans.keyTable.keys()).filter((row) => scans.keyTable[row] === table);
  }

  /** Versions of a row: its absence, its initial version, and all written versions regardless of outcome. */
  versionsOf(row: number): readonly number[] {
    this.#versions ??= this.#allVersions();
    return [...this.#versions.get(row)!];
  }

  /**
   * Returns whether an aggregate can have its result if each row contributes one of the given values; null after too
   * many sums.
   */
  mayComeTo({ kind, result }: Aggregate, rows: readonly (readonly Adds[])[]): boolean | null {
    if (kind === 'count') {
      const least = rows.filter((adds) => adds.length > 0 && !adds.includes(null)).length;
      const most = rows.filter((adds) => adds.some((one) => one !== null)).length;
      return least <= result && result <= most;
    }
    if (kind !== 'sum') return result === null || rows.some((adds) => adds.includes(result));
    const sizes = rows.map((adds) => Math.max(0, ...adds.map((more) => Math.abs(Number(more ?? 0)))));
    const size = sizes.reduce((sum, one) => sum + one, 0);
    // Possible results of the rows so far; null where no row contributed. Large rows leave the fewest.
    let sums = new Set<number | null>([null]);
    let reach = size;
    for (const row of Array.from(sizes.keys()).toSorted((a, b) => sizes[b]! - sizes[a]!)) {
      reach -= sizes[row]!;
      const isFar = (sum: number | null): boolean =>
        Math.abs(Number(result) - Number(sum ?? 0)) > reach + ROUNDING * size;
      const next = new Set<number | null>();
      for (const sum of sums)
        for (const more of rows[row]!) {
          const added = more === null ? sum : Number(more) + Number(sum ?? 0);
          if (!isFar(added)) next.add(added);
        }
      this.#sumsLeft -= next.size;
      if (next.size > MOST_SUMS || this.#sumsLeft < 0) return null;
      sums = next;
    }
    if (sums.has(result as number | null)) return true;
    return [...sums].some(
      (sum) => sum !== null && Math.abs(sum - Number(result)) <= ROUNDING * size && !Number.isInteger(sum),
    );
  }

  #contentOf(version: number): Row {
    let row = this.#contents.get(version);
    if (row === undefined)
      this.#contents.set(version, (row = rowOfText(atomOf(this.#history.values, version) as string)));
    return row;
  }

  #allVersions(): ReadonlyMap<number, ReadonlySet<number>> {
    const { scans, keyInitial, opKind, opKey, opValue } = this.#history;
    const versions = new Map<number, Set<number>>();
    scans.keyTable.forEach((table, row) => {
      if (table >= 0) versions.set(row, new Set([NIL, keyInitial[row]]));
    });
    for (let op = 0; op < opKind.length; op++)
      if (opKind[op] === OpKind.Write) versions.get(opKey[op])?.add(opValue[op]);
    return versions;
  }
}

/** Sums of fractions depend on the order of addition. */
const ROUNDING = 1e-12;
const MOST_SUMS = 100_000;
