import { followedBy } from '../columns/columns.ts';
import { LoweredOperations } from '../columns/lowered-operations.ts';
import { type Atom, AtomType, atomOf, withTexts } from '../columns/atoms.ts';
import { type History, type RowsOfKeys, countKeys, countOperations, countValues, rowsOf } from '../history/history.ts';
import { Exchange, NO_TIME, OPEN_BOUND, OpKind, UNKNOWN_VALUE } from '../columns/operation.ts';
import { type Item, Items, type PassedOver, type ReadOfItem, isMatch } from './items.ts';
import { askedRows } from './asked-rows.ts';
import { ChangesOfItems } from './changes-of-items.ts';
import { NO_SCANS } from '../rows/scans.ts';
import { valueWritten } from '../history/entries.ts';
import { holdsOnly } from '../history/shape.ts';
import type { IdColumn, KeyId, OperationId } from '../columns/ids.ts';

/**
 * A history whose exchanges, range reads and scans are expressed as plain reads and writes, for checkers that support
 * only these (Viper, section 5). An insert or delete reads a version and writes a version. A range read reads every row
 * that it returned, and the initial state of every other key between its bounds. A scan reads, for every row that it
 * did not return, that the row does not match (see items.ts), and then the rows that it returned.
 * A failed compare-and-set is omitted: it excludes only one value of a key.
 */
export interface RegisterHistory {
  readonly history: History;
  /** Original operation of each operation. */
  readonly opOf: IdColumn<OperationId>;
  /** Scans whose aggregates state something about several rows together, which reads and writes cannot express. */
  readonly undecidedAggregates: readonly number[];
  /** Items, which are the keys after those of the original history. */
  readonly items: readonly Item[];
}

/**
 * Lowers a history. `passedOver` limits the unreturned rows that scans read. Aggregates of the scans in `asked` read
 * every row that they may include, with an unknown result.
 */
export function toRegisters(
  history: History,
  passedOver: PassedOver | null = null,
  asked: ReadonlySet<number> = NO_SCAN,
): RegisterHistory {
  if (hasRegistersOrLists(history)) {
    const opOf = new Int32Array(countOperations(history)) as IdColumn<OperationId>;
    for (let op = 0 as OperationId; op < opOf.length; op++) opOf[op] = op;
    return { history, opOf, undecidedAggregates: [], items: [] };
  }
  return new Lowering(history, new Items(history), null, passedOver, asked).run();
}

/**
 * Lowers a history several times with more and more skipped rows, and reuses its findings. A lean lowering writes an
 * item only where it changes, which suits the levels at which each writer of a key sees the previous version.
 */
export class RepeatedLowering {
  readonly #history: History;
  readonly #items: Items;
  readonly #changes: ChangesOfItems | null;

  constructor(history: History, isLean: boolean) {
    this.#history = history;
    this.#items = new Items(history);
    this.#changes = isLean ? new ChangesOfItems(history) : null;
  }

  lower(passedOver: PassedOver | null): RegisterHistory {
    return new Lowering(this.#history, this.#items, this.#changes, passedOver, NO_SCAN).run();
  }
}

const NO_SCAN: ReadonlySet<number> = new Set();

/** Returns whether reading all skipped rows of scans makes a history at most `larger` times larger. */
export function passesOverFew(history: History, larger = LARGER): boolean {
  return !passesOverMore(history, larger * (countOperations(history) + history.scans.rowKey.length));
}

const LARGER = 2;

/** Returns whether all scans together skipped more than `most` rows that match at some time. */
export const passesOverMore = (history: History, most: number): boolean =>
  new Items(history).countPassedOver(most) > most;

class Lowering {
  readonly #history: History;
  readonly #keysBetween: (low: number, high: number) => readonly number[];
  readonly #items: Items;
  /** Items that each write sets; null if it sets all items of its row. */
  readonly #changes: ChangesOfItems | null;
  /** Statements of each scan beyond its returned rows; null if they concern all rows, which are too many to store. */
  readonly #reads: (readonly ReadOfItem[])[] | null;
  /** Rows that each scan's aggregate may have included. */
  readonly #askedReads = new Map<number, readonly ReadOfItem[]>();
  readonly #out: LoweredOperations;
  readonly #false: number;

  constructor(
    history: History,
    items: Items,
    changes: ChangesOfItems | null,
    passedOver: PassedOver | null,
    asked: ReadonlySet<number>,
  ) {
    this.#history = history;
    this.#keysBetween = history.ranges.low.length > 0 ? writtenKeysBetween(history) : () => [];
    this.#items = items;
    this.#changes = changes;
    const known = items.all.length;
    // In the order of the operations, so that the order of items does not depend on how the history was written down.
    this.#reads = passedOver === null ? null : [];
    for (let op = 0; op < history.opKind.length; op++) {
      if (history.opKind[op] !== OpKind.Scan) continue;
      const scan = history.opValue[op];
      const reads = this.#items.readsOf(scan, passedOver);
      if (this.#reads !== null) this.#reads[scan] = reads;
      if (asked.has(scan)) this.#askedReads.set(scan, this.#rowsOf(scan));
    }
    if (changes !== null) for (let i = known; i < items.all.length; i++) changes.add(items.all[i]!);
    this.#false = countValues(history);
    this.#out = new LoweredOperations(countOperations(history) + 1);
  }

  #rowsOf(scan: number): ReadOfItem[] {
    return askedRows(this.#history, scan).map(({ row, some, where }) => ({
      item: this.#items.item(row, some, where),
      matched: null,
    }));
  }

  run(): RegisterHistory {
    const { txnStart, opVersion } = this.#history;
    const newTxnStart = new Int32Array(txnStart.length);
    for (let t = 0; t + 1 < txnStart.length; t++) {
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) this.#lower(op);
      newTxnStart[t + 1] = this.#out.count;
    }
    const opOf = this.#out.opOf.slice(0, this.#out.count) as IdColumn<OperationId>;
    return {
      history: {
        ...this.#history,
        txnStart: newTxnStart as IdColumn<OperationId>,
        opKind: this.#out.kind.slice(0, this.#out.count),
        opKey: this.#out.key.slice(0, this.#out.count) as IdColumn<KeyId>,
        opValue: this.#out.value.slice(0, this.#out.count),
        opPosition: positionsOf(this.#history, opOf, newTxnStart),
        opVersion: opVersion && BigInt64Array.from(opOf, (op) => opVersion[op] ?? NO_TIME),
        opStatement: opOf,
        ...this.#itemsAsKeys(),
        rows: rowsOfLowered(this.#history, this.#items),
        scans: NO_SCANS,
      },
      opOf,
      undecidedAggregates: this.#items.undecided,
      items: this.#items.all,
    };
  }

  #lower(op: number): void {
    const { opKind, opKey, opValue, exchanges } = this.#history;
    const x = opValue[op];
    switch (opKind[op]) {
      case OpKind.Read:
      case OpKind.Append:
      case OpKind.ListRead:
        this.#out.put(opKind[op], opKey[op], x, op);
        break;
      case OpKind.Write:
        this.#out.put(OpKind.Write, opKey[op], x, op);
        this.#lowerItems(opKey[op], x, op);
        break;
      case OpKind.RangeRead:
        this.#lowerRange(x, op);
        break;
      case OpKind.Scan:
        this.#lowerScan(x, op);
        break;
      default:
        if (exchanges.flags[x] & Exchange.Failed) break;
        this.#out.put(OpKind.Read, opKey[op], exchanges.observed[x], op);
        this.#out.put(OpKind.Write, opKey[op], exchanges.written[x], op);
    }
  }

  #lowerItems(row: number, value: number, op: number): void {
    if (this.#changes === null) {
      for (const item of this.#items.ofRow(row)) this.#putItem(OpKind.Write, item, isMatch(item, value), op);
      return;
    }
    const { first, next, item, matched } = this.#changes;
    for (let change = first[op]; change >= 0; change = next[change])
      this.#putItem(OpKind.Write, item[change]!, matched[change] === 1, op);
  }

  #lowerRange(range: number, op: number): void {
    const { ranges, keyInitial } = this.#history;
    const returned = new Set<number>();
    for (let row = ranges.rowStart[range]; row < ranges.rowStart[range + 1]; row++) {
      this.#out.put(OpKind.Read, ranges.rowKey[row], ranges.rowValue[row], op);
      returned.add(ranges.rowKey[row]);
    }
    for (const absent of this.#keysBetween(ranges.low[range], ranges.high[range])) {
      if (!returned.has(absent)) this.#out.put(OpKind.Read, absent, keyInitial[absent], op);
    }
  }

  #lowerScan(scan: number, op: number): void {
    const { rowStart, rowKey, rowValue } = this.#history.scans;
    const reads = this.#reads?.[scan] ?? this.#items.readsOf(scan, null);
    for (const { item, matched } of reads) this.#putItem(OpKind.Read, item, matched, op);
    for (const { item, matched } of this.#askedReads.get(scan) ?? []) this.#putItem(OpKind.Read, item, matched, op);
    for (let row = rowStart[scan]; row < rowStart[scan + 1]; row++)
      if (rowValue[row] !== UNKNOWN_VALUE) this.#out.put(OpKind.Read, rowKey[row], rowValue[row], op);
  }

  #putItem(kind: number, item: Item, matched: boolean | null, op: number): void {
    this.#out.put(kind, item.key, matched === null ? UNKNOWN_VALUE : this.#false + (matched ? 1 : 0), op);
  }

  #itemsAsKeys(): Pick<History, 'keys' | 'values' | 'keyInitial'> {
    const { keys, values, keyInitial } = this.#history;
    const { all } = this.#items;
    return {
      keys: withTexts(keys, this.#items.names, AtomType.String),
      values: withTexts(values, ['false', 'true'], AtomType.Literal),
      keyInitial: Int32Array.from([
        ...keyInitial,
        ...all.map((item) => this.#false + (isMatch(item, keyInitial[item.row]) ? 1 : 0)),
      ]),
    };
  }
}

/** Returns the rows that keys represent once items are keys as well. */
function rowsOfLowered(history: History, { all, conditions }: Items): RowsOfKeys | null {
  const before = rowsOf(history);
  if (before === null) return null;
  return {
    row: followedBy(
      before.row,
      Int32Array.from(all, (item) => before.row[item.row]),
    ),
    condition: followedBy(
      before.condition,
      Int32Array.from(all, (_, i) => before.conditions.length + i),
    ),
    conditions: [...before.conditions, ...conditions],
  };
}

/** Returns whether {@link toRegisters} leaves the history unchanged. */
export const hasRegistersOrLists = (history: History): boolean =>
  holdsOnly(history, [OpKind.Read, OpKind.Write, OpKind.Append, OpKind.ListRead]);

/** Returns the distance of each operation from its transaction's position. */
function positionsOf(
  { opPosition, source, txnStart }: History,
  opOf: Int32Array,
  newTxnStart: Int32Array,
): Uint32Array {
  const positions = new Uint32Array(opOf.length);
  for (let t = 0; t + 1 < newTxnStart.length; t++)
    for (let i = newTxnStart[t]; i < newTxnStart[t + 1]; i++)
      positions[i] = opPosition ? opPosition[opOf[i]] : (opOf[i] - txnStart[t]) * source.opStride;
  return positions;
}

/**
 * Finds the written registers between two bounds, each of which may be open. Integers and texts are not mixed; lists
 * and rows are omitted.
 */
function writtenKeysBetween(history: History): (low: number, high: number) => readonly number[] {
  const written = new Uint8Array(countKeys(history));
  const { opKind, opKey, scans } = history;
  for (let op = 0; op < countOperations(history); op++)
    if (valueWritten(history, op) >= 0 && opKind[op] !== OpKind.Append && !(scans.keyTable[opKey[op]] >= 0))
      written[opKey[op]] = 1;
  const keys = Array.from(written.keys()).filter((key) => written[key] === 1);
  const atoms = new Map(keys.map((key) => [key, atomOf(history.keys, key)]));
  const sorted = keys.toSorted((a, b) => compareAtoms(atoms.get(a)!, atoms.get(b)!));
  const rank = (bound: Atom): number => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareAtoms(atoms.get(sorted[middle]!)!, bound) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return (low, high) => {
    const from = low === OPEN_BOUND ? 0 : rank(atomOf(history.keys, low));
    const highAtom = high === OPEN_BOUND ? null : atomOf(history.keys, high);
    let to = highAtom === null ? sorted.length : rank(highAtom);
    if (highAtom !== null && to < sorted.length && compareAtoms(atoms.get(sorted[to]!)!, highAtom) === 0) to++;
    const inside = sorted.slice(from, to);
    const bound = low === OPEN_BOUND ? highAtom : atomOf(history.keys, low);
    return bound === null ? inside : inside.filter((key) => typeof atoms.get(key) === typeof bound);
  };
}

function compareAtoms(a: Atom, b: Atom): number {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'bigint') return -1;
  if (typeof b === 'bigint') return 1;
  const [x, y] = [textOfAtom(a), textOfAtom(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

const textOfAtom = (atom: Exclude<Atom, bigint>): string =>
  atom === null ? '' : typeof atom === 'string' ? atom : atom.text;
