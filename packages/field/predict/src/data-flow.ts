/**
 * Data flow between the results of reads and the parameters of later operations, by equal values: a parameter that
 * equals a value of an earlier result may come from that result. It needs the history before it was lowered, because
 * conditions of scans are parameters.
 */
import {
  type Atom,
  type History,
  OpKind,
  type OperationId,
  atomOf,
  comparisonsOf,
  keyOfRow,
  rowOfText,
  transactionOf,
} from '@isolab/history';
import { Update } from './programs.ts';

export class DataFlow {
  readonly #whole: History;
  readonly #lowered: History;
  readonly #opOf: Int32Array;
  readonly #updates: Uint8Array;
  readonly #hidden: ReadonlySet<string>;
  readonly #parameters = new Map<number, readonly string[]>();
  readonly #results = new Map<number, ReadonlyMap<string, string>>();

  /**
   * `opOf` has the operation of the whole history that each operation of the lowered history represents; `updates` has
   * the Update of each operation of the whole history.
   */
  constructor(whole: History, lowered: History, opOf: Int32Array, updates: Uint8Array) {
    this.#updates = updates;
    this.#whole = whole;
    this.#lowered = lowered;
    this.#opOf = opOf;
    this.#hidden = new Set(whole.source.hiddenColumns);
  }

  /** Returns the texts of a value's columns that another value lacks; of all columns if the other one is unknown. */
  lost(value: number, other: number | null): ReadonlySet<string> {
    const others = other === null ? null : this.#resultOf(other);
    const lost = new Set<string>();
    for (const [column, text] of this.#resultOf(value)) if (others?.get(column) !== text) lost.add(text);
    return lost;
  }

  /** Returns whether a parameter of an operation of the lowered history equals one of the texts. */
  usesOne(op: number, texts: ReadonlySet<string>): boolean {
    return this.#parametersOf(op).some((text) => texts.has(text));
  }

  /** Returns whether two operations of the lowered history represent a single operation, such as an insert. */
  areOne(op: number, other: number): boolean {
    return this.#opOf[op] === this.#opOf[other];
  }

  /** Returns the operation of the whole history that an operation of the lowered history represents. */
  operationOf(op: number): number {
    return this.#opOf[op];
  }

  isUpdate(op: number): boolean {
    return this.#updates[this.#opOf[op]] !== Update.None;
  }

  /** Returns whether an operation locks rows without writing them. */
  isLocking(op: number): boolean {
    return this.#updates[this.#opOf[op]] === Update.Locks;
  }

  /** Returns the position of an operation in its transaction of the whole history. */
  placeOf(op: number): number {
    const at = this.#opOf[op];
    return at - this.#whole.txnStart[transactionOf(this.#whole, at as OperationId)];
  }

  #resultOf(value: number): ReadonlyMap<string, string> {
    let found = this.#results.get(value);
    if (found === undefined) {
      found = new Map(textsIn(atomOf(this.#lowered.values, value)).filter(([column]) => !this.#hidden.has(column)));
      this.#results.set(value, found);
    }
    return found;
  }

  #parametersOf(op: number): readonly string[] {
    let found = this.#parameters.get(op);
    if (found === undefined) {
      found = this.#find(this.#opOf[op]);
      this.#parameters.set(op, found);
    }
    return found;
  }

  #find(op: number): string[] {
    const { opKind, opKey, opValue, keys, scans, ranges } = this.#whole;
    const table = opKind[op] === OpKind.Scan ? scans.table[opValue[op]] : scans.keyTable[opKey[op]];
    if (scans.counters?.includes(table!)) return [scans.tables[table!]!]; // whose rows have keys that no program knows
    if (opKind[op] === OpKind.Scan) {
      const where = scans.predicates[scans.predicate[opValue[op]]]!;
      return Array.from(comparisonsOf(where)).flatMap(([, constants]) => constants.map(String));
    }
    if (opKind[op] === OpKind.RangeRead)
      return [ranges.low[opValue[op]], ranges.high[opValue[op]]]
        .filter((key) => key >= 0)
        .map((key) => textOf(atomOf(keys, key)));
    const name = atomOf(keys, opKey[op]);
    const isRow = typeof name === 'string' && scans.keyTable[opKey[op]] >= 0;
    return [isRow ? String(keyOfRow(name)) : textOf(name)];
  }
}

/** Returns the columns of a row, or a value as a single column without a name. Truth values and nil are left out. */
function textsIn(value: Atom): [string, string][] {
  if (typeof value === 'string' && value.startsWith('{')) {
    try {
      return Object.entries(rowOfText(value))
        .filter(([, each]) => each !== null && typeof each !== 'boolean')
        .map(([column, each]) => [column, String(each)]);
    } catch {
      return [['', value]];
    }
  }
  if (value === null || (typeof value === 'object' && /^(true|false)$/.test(value.text))) return [];
  return [['', textOf(value)]];
}

const textOf = (atom: Atom): string => (atom === null ? '' : typeof atom === 'object' ? atom.text : String(atom));
