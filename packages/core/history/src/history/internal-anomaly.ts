import { valueWritten } from './entries.ts';
import { type History, countKeys } from './history.ts';
import { OpKind, TxnStatus } from '../columns/operation.ts';
import type { OperationId } from '../columns/ids.ts';

/**
 * Anomalies of a single read. Read committed and all stronger levels forbid them; read committed only allows
 * non-repeatable reads.
 */
export const INTERNAL_ANOMALIES = [
  'thin-air-read',
  'aborted-read',
  'future-read',
  'not-my-own-write',
  'not-my-last-write',
  'intermediate-read',
  'non-repeatable-read',
] as const;

export type InternalAnomalyName = (typeof INTERNAL_ANOMALIES)[number];

export interface InternalAnomaly {
  readonly name: InternalAnomalyName;
  readonly read: OperationId;
  /**
   * The other operation: the wrongly visible write (aborted, future, intermediate), the missed own write (not-my-own,
   * not-my-last), or the earlier read with another value; −1 for thin air.
   */
  readonly other: OperationId;
}

/** Internal anomalies in columns: first anomalies of registers in the order of their reads, then anomalies of lists. */
export interface InternalAnomalies {
  readonly count: number;
  readonly counts: Readonly<Record<InternalAnomalyName, number>>;
  at(index: number): InternalAnomaly;
}

export class AnomalyList {
  readonly #name: InternalAnomalyName[] = [];
  readonly #read: OperationId[] = [];
  readonly #other: OperationId[] = [];

  add(name: InternalAnomalyName, read: OperationId, other: OperationId): void {
    this.#name.push(name);
    this.#read.push(read);
    this.#other.push(other);
  }

  finish(): InternalAnomalies {
    const [name, read, other] = [this.#name, this.#read, this.#other];
    const counts = Object.fromEntries(INTERNAL_ANOMALIES.map((anomaly) => [anomaly, 0])) as Record<
      InternalAnomalyName,
      number
    >;
    for (const anomaly of name) counts[anomaly]++;
    return { count: name.length, counts, at: (i) => ({ name: name[i]!, read: read[i]!, other: other[i]! }) };
  }
}

/** Reasons why no other transaction may see a write. */
export const Spoilt = { Aborted: 1, Overwritten: 2 } as const;

/**
 * Marks all writes that no other transaction may see because they were aborted or overwritten in their own transaction.
 */
export function findSpoilt(history: History): Uint8Array {
  const { txnStart, txnStatus, opKind, opKey } = history;
  const spoilt = new Uint8Array(opKind.length);
  const lastWriter = new Int32Array(countKeys(history)); // transaction + 1
  for (let t = txnStatus.length - 1; t >= 0; t--) {
    const aborted = txnStatus[t] === TxnStatus.Aborted;
    for (let op = txnStart[t + 1] - 1, first = txnStart[t]; op >= first; op--) {
      if (opKind[op] === OpKind.Read || (opKind[op] !== OpKind.Write && valueWritten(history, op) < 0)) continue;
      const key = opKey[op];
      if (aborted) spoilt[op] = Spoilt.Aborted;
      else if (lastWriter[key] === t + 1) spoilt[op] = Spoilt.Overwritten;
      lastWriter[key] = t + 1;
    }
  }
  return spoilt;
}
