import {
  type History,
  OpKind,
  type RegisterHistory,
  TxnStatus,
  UNKNOWN_VALUE,
  askedRows,
  countValues,
  isOpaque,
  registersOf,
  toRegisters,
  transactionOfOperations,
} from '@isolab/history';
import type { Random } from '@isolab/workloads';

/** Possible observation of a row by an aggregate: one of these reads, and whether it matched. */
export interface Sight {
  readonly read: number;
  readonly matched: boolean;
  /** Addend to a sum or count; null for none. */
  readonly adds: number | null;
}

/** An aggregate with its possible rows: a count or sum observes each row, an extreme any one. */
export interface Asked {
  readonly op: number;
  readonly transaction: number;
  readonly kind: string;
  readonly result: unknown;
  readonly choices: readonly (readonly Sight[])[];
}

/** A history whose operations a certificate numbers, perhaps with reads of the rows of aggregates. */
export interface Numbered {
  readonly withScans: History;
  readonly lowered: RegisterHistory;
  readonly txnOf: Int32Array;
  readonly asked: readonly Asked[];
}

/** Operation numbers of aggregates of several rows, except those of aborted transactions. */
export function aggregatesIn(history: History, random: Random): number[] {
  const undecided = new Set(toRegisters(history).undecidedAggregates);
  const { txnStatus, opKind, opValue, scans } = history;
  const ops: number[] = [];
  for (const t of txnStatus.keys())
    for (const op of operationsOf(history, t)) {
      const scan = opKind[op] === OpKind.Scan ? opValue[op]! : -1;
      if (scan < 0 || scans.aggregate[scan]! < 0 || isOpaque(scans.predicates[scans.predicate[scan]!]!)) continue;
      if (undecided.has(scan) ? txnStatus[t] !== TxnStatus.Aborted || random.chance(0.1) : random.chance(0.05))
        ops.push(op);
    }
  return ops;
}

/** The operations of a transaction. */
export function operationsOf({ txnStart }: History, t: number): number[] {
  return Array.from({ length: txnStart[t + 1]! - txnStart[t]! }, (_, i) => txnStart[t]! + i);
}

export function numbered(withScans: History, aggregates: readonly number[]): Numbered {
  const numbering = aggregates.length === 0 ? {} : { certificate: { kind: 'aggregates', aggregates } };
  const lowered = registersOf(withScans, numbering);
  const txnOf = transactionOfOperations(withScans);
  const asked = aggregates.map((op): Asked => {
    const { aggregate, aggregates: all } = withScans.scans;
    const { kind, result } = all[aggregate[withScans.opValue[op]!]!]!;
    return { op, transaction: txnOf[op]!, kind, result, choices: choicesOf(withScans, op, kind, lowered) };
  });
  return { withScans, lowered, txnOf: transactionOfOperations(lowered.history), asked };
}

/** The reads of rows are the last reads that stem from the operation. */
function choicesOf(withScans: History, op: number, kind: string, { opOf }: RegisterHistory): Sight[][] {
  const rows = askedRows(withScans, withScans.opValue[op]!);
  const first = opOf.lastIndexOf(op) + 1 - rows.length;
  if (kind === 'min' || kind === 'max')
    return [rows.map((_, i): Sight => ({ read: first + i, matched: true, adds: null }))];
  const choices = new Map<number, Sight[]>();
  rows.forEach(({ row, adds }, i) => {
    const sights = choices.get(row) ?? [];
    if (adds !== null) sights.push({ read: first + i, matched: true, adds: Number(adds) });
    if (adds === null || kind === 'count') sights.push({ read: first + i, matched: false, adds: null });
    choices.set(row, sights);
  });
  return [...choices.values()];
}

/**
 * Chooses rows that an aggregate may have observed; usually a choice with the aggregate's result, if one is found
 * quickly.
 */
export function someSights({ kind, result, choices }: Asked, random: Random): readonly Sight[] {
  let sights: readonly Sight[] = [];
  const isRight = (): boolean => {
    if (kind === 'min' || kind === 'max') return sights.length === 1;
    const added = sights.flatMap(({ adds }) => adds ?? []);
    const sum = added.reduce((all, adds) => all + adds, 0);
    return kind === 'sum' && added.length === 0 ? result === null : sum === result;
  };
  for (let tries = random.chance(0.8) ? MOST_TRIES : 1; tries > 0; tries--) {
    sights = choices.flatMap((choice) => (choice.length === 0 ? [] : [random.pick(choice)]));
    if (isRight()) break;
  }
  return sights;
}

/** Returns the history in which these reads have these results. */
export function seeing({ withScans, lowered }: Numbered, sights: Iterable<Sight>): History {
  const opValue = lowered.history.opValue.slice();
  for (const { read, matched } of sights) opValue[read] = countValues(withScans) + (matched ? 1 : 0);
  return { ...lowered.history, opValue };
}

/** Reads of registers with a known result that another transaction wrote. */
export function externalReads(history: History): number[] {
  const { txnStatus, opKind, opKey, opValue } = history;
  return Array.from(txnStatus.keys()).flatMap((t) => {
    const own = new Set<number>();
    return operationsOf(history, t).filter((op) => {
      if (opKind[op] === OpKind.Write) own.add(opKey[op]!);
      return opKind[op] === OpKind.Read && opValue[op] !== UNKNOWN_VALUE && !own.has(opKey[op]!);
    });
  });
}

const MOST_TRIES = 12;
