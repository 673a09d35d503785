import { type HistoryBuilder, NIL, ReadFrom, type History, OpKind, countOperations } from '@isolab/history';
import { idOf } from '../format/capabilities.ts';
import type { Loss } from '../format/format.ts';

/**
 * Newer dbcop reads 0 as the initial state unless some transaction writes 0 to the key, which is known only at the end.
 */
export class InitialZeros {
  readonly #builder: HistoryBuilder;
  readonly #seen: number[] = []; // by key: READ, WRITTEN or both

  constructor(builder: HistoryBuilder) {
    this.#builder = builder;
  }

  /** Records a read or write of 0. */
  see(kind: number, key: number): void {
    this.#seen[key] |= kind === OpKind.Write ? WRITTEN : READ;
  }

  /** Returns the history. Where 0 represents the initial state of a key, that state is 0 however a read spelled it. */
  finish(): History {
    const zero = this.#seen.includes(READ) ? this.#builder.values.integer(0, 0) : NIL;
    this.#seen.forEach((seen, key) => {
      if (seen === READ) this.#builder.initialOf(key, zero);
    });
    const history = this.#builder.finish();
    const { opKind, opKey, opValue, keyInitial } = history;
    for (let op = 0; op < opKind.length; op++)
      if (opKind[op] === OpKind.Read && opValue[op] === NIL) opValue[op] = keyInitial[opKey[op]];
    return history;
  }
}

/** Adds to the losses the reads of 0 that such a file would turn into reads of the initial state. */
export function withMistakableZeros(losses: readonly Loss[], history: History, readFrom: Int32Array): readonly Loss[] {
  const { opKind, opKey, opValue, values } = history;
  const zero = idOf(values, 0n);
  const written = new Set<number>();
  const suspects: number[] = [];
  for (let op = 0; op < countOperations(history); op++) {
    if (opValue[op] !== zero) continue;
    if (opKind[op] === OpKind.Write) written.add(opKey[op]);
    else if (opKind[op] === OpKind.Read && readFrom[op] === ReadFrom.ThinAir) suspects.push(opKey[op]);
  }
  const count = suspects.filter((key) => !written.has(key)).length;
  if (count === 0) return losses;
  const known = losses.find((loss) => loss.name === 'initial-values');
  const loss: Loss = {
    name: 'initial-values',
    fate: 'become indistinguishable from the initial state',
    count: count + (known?.count ?? 0),
  };
  return [...losses.filter((other) => other !== known), loss];
}

const READ = 1;
const WRITTEN = 2;
