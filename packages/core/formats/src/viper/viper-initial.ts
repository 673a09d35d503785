import {
  type History,
  NIL,
  OpKind,
  UNKNOWN_VALUE,
  countKeys,
  countOperations,
  countValues,
  valueRead,
  valueWritten,
} from '@isolab/history';

/** A key and the value that a failed statement would have written to it. */
export type Attempt = readonly [key: number, value: number];

/**
 * Infers the initial values of a history that does not state them: values that were read from a key but never written
 * to it.
 *
 * There must be exactly one such value. Where reads found several, or one value and also an absent key, at most one of
 * them can be the initial state, and the history does not show which: a choice would excuse one of two similar
 * anomalies. All of them then remain out of thin air, except nil, which becomes the initial state. A value of a failed
 * statement cannot have been read from the initial state either.
 */
export function withInferredInitialValues(history: History, failed: readonly Attempt[]): History {
  const { opKind, opKey, opValue, ranges } = history;
  const writes = new Writes(history, failed);
  const initial = new Int32Array(countKeys(history)).fill(NONE);
  const found = (key: number, value: number): void => {
    if (value < 0 || value === UNKNOWN_VALUE || writes.include(key, value)) return;
    if (initial[key] === NONE) initial[key] = value;
    else if (initial[key] !== value) initial[key] = SEVERAL;
  };
  for (let op = 0; op < countOperations(history); op++) {
    const kind = opKind[op];
    if (kind === OpKind.Read) found(opKey[op], opValue[op]);
    else if (kind !== OpKind.Write && kind !== OpKind.RangeRead) found(opKey[op], valueRead(history, op));
  }
  for (let row = 0; row < ranges.rowKey.length; row++) found(ranges.rowKey[row], ranges.rowValue[row]);

  const keyInitial = initial.map((value) => (value >= 0 ? value : NIL));
  const notes: Record<string, number> = { ...history.source.notes };
  const inferred = keyInitial.filter((value) => value !== NIL).length;
  const undecided = initial.filter((value) => value === SEVERAL).length;
  if (inferred > 0) notes['inferredInitialValues'] = inferred;
  if (undecided > 0) notes['keysWithSeveralUnwrittenValues'] = undecided;
  return { ...history, keyInitial, source: { ...history.source, notes } };
}

/** Written values of each key. Nearly every value is written to one key only. */
class Writes {
  readonly #writtenTo: Int32Array; // for each value: the key + 1, or SEVERAL
  readonly #pairs = new Set<number>(); // for values written to several keys: each pair as one number
  readonly #numValues: number;

  constructor(history: History, failed: readonly Attempt[]) {
    this.#numValues = countValues(history);
    const writtenTo = (this.#writtenTo = new Int32Array(this.#numValues));
    const { opKey } = history;
    let shared = false;
    const seen = (key: number, value: number): void => {
      if (writtenTo[value] === 0) writtenTo[value] = key + 1;
      else if (writtenTo[value] !== key + 1) {
        writtenTo[value] = SEVERAL;
        shared = true;
      }
    };
    const pair = (key: number, value: number): void => {
      if (writtenTo[value] === SEVERAL) this.#pairs.add(key * this.#numValues + value);
    };
    const forAll = (visit: (key: number, value: number) => void): void => {
      for (let op = 0; op < countOperations(history); op++) {
        const value = valueWritten(history, op);
        if (value >= 0) visit(opKey[op], value);
      }
      for (const [key, value] of failed) visit(key, value);
    };
    forAll(seen);
    if (shared) forAll(pair);
  }

  include(key: number, value: number): boolean {
    const to = this.#writtenTo[value];
    return to === SEVERAL ? this.#pairs.has(key * this.#numValues + value) : to === key + 1;
  }
}

const NONE = -1;
const SEVERAL = -2;
