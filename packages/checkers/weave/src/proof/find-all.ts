/**
 * All contradictions of a history, one after the other: a search that found one is repeated without its reads. These
 * count as unknown, which can only remove violations, so every contradiction holds for the whole history.
 */
import { type IndexedHistory, type RunContext, Stop, indexed, numbersIn } from '@isolab/contract';
import { OpKind, UNKNOWN_LIST, UNKNOWN_VALUE, transactionOf } from '@isolab/history';
import type { Tuning } from '../problem/tuning.ts';
import { contextLike, withinSteps } from '../problem/contexts.ts';
import { type Found, type Outcome, isFound, rowOf } from './numbers.ts';

/**
 * Returns contradictions with disjoint reads, or only the first outcome if it is none. `forget` forgets the reads of a
 * contradiction, and returns whether any of them was known before. The searches after the first get a limited multiple
 * of its time.
 */
export function findAll(
  context: RunContext,
  { mostContradictions, timesLonger, leastSteps }: Tuning,
  search: (inner: RunContext) => Outcome,
  forget: (found: Found) => boolean,
): readonly Outcome[] {
  let steps = 0;
  const tick = (more: number): void => {
    steps += more;
    context.tick(more);
  };
  const inner = contextLike(context, { certify: true, findAll: true, tick }); // certificates show their premises
  let latest = search(inner);
  if (!isFound(latest)) return [latest];
  const found: Found[] = [];
  const further = (limited: RunContext): void => {
    for (let count = 0; isFound(latest); latest = search(contextLike(limited, { progress() {} }))) {
      found.push(latest);
      count += latest.verdict.anomalies.length;
      if (count >= mostContradictions || !forget(latest)) break;
      context.progress(found.length, mostContradictions);
    }
  };
  try {
    withinSteps(inner, Math.max(timesLonger * steps, leastSteps), further);
  } catch (error) {
    if (!(error instanceof Stop)) throw error; // the verdict is already known
  }
  return found;
}

/** Reads that count as unknown: those of contradictions, and others of their rows by the same transactions. */
export class Forgotten {
  readonly #ops = new Set<number>();
  readonly #rows = new Map<number, Set<number>>(); // by transaction

  get isEmpty(): boolean {
    return this.#ops.size === 0;
  }

  /** Returns whether any of these reads was known before. */
  add({ verdict, registers }: Found): boolean {
    const { history, opOf } = registers;
    let some = false;
    for (const read of verdict.anomalies.flatMap(({ certificate }) => [...readsOf(certificate!)])) {
      const [t, op, row] = [transactionOf(history, read), opOf[read]!, rowOf(registers, history.opKey[read]!)];
      const rows = this.#rows.get(t) ?? new Set();
      some ||= !this.#ops.has(op) || !rows.has(row);
      this.#ops.add(op);
      this.#rows.set(t, rows.add(row));
    }
    return some;
  }

  /** Returns whether a transaction counts as if this operation of it had not read this row. */
  has(t: number, op: number, row: number): boolean {
    return this.#ops.has(op) || this.#rows.get(t)?.has(row) === true;
  }

  /** Returns a history of reads and writes without the results of these reads. */
  without(registers: Found['registers']): IndexedHistory {
    const { history, opOf } = registers;
    if (this.isEmpty) return indexed(history);
    const { txnStart, opKind } = history;
    const opValue = history.opValue.slice();
    for (const t of this.#rows.keys())
      for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
        const unknown = UNKNOWN[opKind[op]!];
        if (unknown !== undefined && this.has(t, opOf[op]!, rowOf(registers, history.opKey[op]!)))
          opValue[op] = unknown;
      }
    return indexed({ ...history, opValue });
  }
}

const UNKNOWN: Readonly<Record<number, number>> = {
  [OpKind.Read]: UNKNOWN_VALUE,
  [OpKind.ListRead]: UNKNOWN_LIST,
};

/** Returns the reads that a certificate rests on and, for lists, also the other operation, which may be an append. */
export function readsOf(certificate: object): Set<number> {
  const reads = new Set<number>();
  for (const [name, value, part] of numbersIn([certificate])) {
    const isList = name === 'other' && (part as { readonly kind: string }).kind === 'lists';
    if (name === 'read' || name === 'reads' || isList) reads.add(value);
  }
  return reads;
}
