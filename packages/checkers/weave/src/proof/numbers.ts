/**
 * The numbers in certificates. A contradiction is found in some lowering of a history to reads and writes, and names
 * its operations by their numbers there. Once the search has ended, `concluded` replaces these numbers by those of the
 * lowering that verifiers use.
 */
import {
  type CheckerVerdict,
  type FoundAnomaly,
  NUMBERED,
  type Numbering,
  numbersIn,
  renumber,
} from '@isolab/contract';
import { lowerBound } from '@isolab/graph';
import {
  type History,
  type PassedOver,
  type RegisterHistory,
  type TransactionId,
  TxnStatus,
  buildReadFrom,
  countKeys,
  namedRows,
  passesOverMore,
  registersOf,
  transactionOf,
} from '@isolab/history';

/** A contradiction, and the history of reads and writes whose operations it names. */
export interface Found {
  readonly verdict: Extract<CheckerVerdict, { readonly status: 'violated' }>;
  readonly registers: Pick<RegisterHistory, 'history' | 'opOf' | 'items'>;
}

/** A contradiction, or another verdict. */
export type Outcome = Found | { readonly verdict: Exclude<CheckerVerdict, Found['verdict']> };

export const isFound = (outcome: Outcome): outcome is Found => outcome.verdict.status === 'violated';

export const outcomeOf = (verdict: CheckerVerdict, registers: Found['registers']): Outcome =>
  verdict.status === 'violated' ? { verdict, registers } : { verdict };

/** Data that the numbers of certificates depend on. */
export interface Scope {
  readonly withScans: History;
  /** Rows passed over and read, by scan; null if all are read. */
  readonly passedOver: PassedOver | null;
  /** Greatest number of passed-over rows that are all numbered. */
  readonly most: number;
}

/** Returns the verdict on a history: all contradictions together or, without any, the first outcome. */
export function concluded(outcomes: readonly Outcome[], certify: boolean, scope: Scope | null): CheckerVerdict {
  const found = outcomes.filter(isFound);
  if (found.length === 0) {
    const { verdict } = outcomes[0]!;
    return verdict.status === 'unknown' || certify ? verdict : { status: 'satisfied' };
  }
  if (certify && scope !== null) return { status: 'violated', anomalies: numbered(found, scope) };
  const anomalies = found.flatMap(({ verdict }) =>
    verdict.anomalies.map(({ certificate, ...anomaly }) => ({ ...anomaly, ...(certify && { certificate }) })),
  );
  return { status: 'violated', anomalies };
}

/**
 * Returns contradictions in the numbers of the history in which scans read all rows or, if these are too many, the
 * relevant ones of the rows that they passed over.
 */
function numbered(found: readonly Found[], { withScans, passedOver, most }: Scope): FoundAnomaly[] {
  const named =
    passedOver !== null && passesOverMore(withScans, most)
      ? namedRows(withScans, passedOver, readersIn(found))
      : undefined;
  const registers = registersOf(withScans, { passedOver: named });
  return found.flatMap((each) => {
    const numbering = numberingIn(registers, each.registers);
    return each.verdict.anomalies.map(({ certificate, ...anomaly }) => ({
      ...anomaly,
      ...(certificate && { certificate: renumber(certificate, numbering) }),
      ...(certificate && named && { passedOver: named }),
    }));
  });
}

/** Returns the transactions that a contradiction names directly or through operations. */
function transactionsIn({ verdict, registers }: Found): Set<TransactionId> {
  const txns = new Set<number>(verdict.anomalies.flatMap(({ transactions }) => transactions));
  for (const [name, value] of numbersIn(verdict.anomalies.flatMap(({ certificate }) => certificate ?? []))) {
    if (value < 0) continue;
    if (NUMBERED[name] === 'txn') txns.add(value);
    else if (NUMBERED[name] === 'op') txns.add(transactionOf(registers.history, value));
  }
  return txns as Set<TransactionId>;
}

/** Returns the transactions that contradictions name, and readers that show that these happened. */
function readersIn(found: readonly Found[]): Set<TransactionId> {
  const all = new Set(found.flatMap((each) => [...transactionsIn(each)]));
  const last = found.at(-1)!;
  const readersOf = readersOfUnknown(last);
  // The set grows during the loop, because the outcome of a reader may be unknown, too.
  for (const t of all) {
    const readers = readersOf.get(t) ?? [];
    const sure = readers.find((reader) => !readersOf.has(reader));
    for (const reader of sure === undefined ? readers : [sure]) all.add(reader);
  }
  return all;
}

/** Returns the readers of each transaction of unknown outcome. */
function readersOfUnknown(found: Found): Map<TransactionId, TransactionId[]> {
  const { history } = found.registers;
  const { txnStart, txnStatus } = history;
  const readersOf = new Map<TransactionId, TransactionId[]>();
  txnStatus.forEach((status, t) => {
    if (status === TxnStatus.Unknown) readersOf.set(t as TransactionId, []);
  });
  if (readersOf.size === 0) return readersOf;
  const { readFrom } = buildReadFrom(history);
  for (let t = 0 as TransactionId; t < txnStatus.length; t++) {
    if (txnStatus[t] === TxnStatus.Aborted) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const writer = readFrom[op] < 0 ? t : transactionOf(history, readFrom[op]);
      if (writer !== t) readersOf.get(writer)?.push(t);
    }
  }
  return readersOf;
}

/**
 * Numbers operations and keys of one lowering as in another, where scans read other rows. An operation that is missing
 * there becomes −1, and an item its row.
 */
export function numberingIn(other: Found['registers'], part: Found['registers']): Numbering {
  const keyOf = keysIn(other, part);
  let start = 0;
  const op = (one: number): number => {
    const from = part.opOf[one];
    if (other.opOf[start] !== from || other.opOf[start - 1] === from)
      start = lowerBound(other.opOf, 0, other.opOf.length, from);
    const key = keyOf[part.history.opKey[one]];
    // The operations that replace one original operation are adjacent.
    for (let place = start; other.opOf[place] === from; place++)
      if (other.history.opKey[place] === key && other.history.opKind[place] === part.history.opKind[one]) return place;
    return -1;
  };
  return { txn: (t) => t, op, key: (key) => (keyOf[key] < 0 ? rowOf(part, key) : keyOf[key]) };
}

/** Returns the row or key that a key of a lowered history represents or belongs to as an item. */
export const rowOf = ({ history, items }: Found['registers'], key: number): number =>
  items[key - (countKeys(history) - items.length)]?.row ?? key;

/** Returns the number of each key of the part in the other lowering, or −1. Items are equal if they match equally. */
function keysIn(other: Found['registers'], part: Found['registers']): Int32Array {
  const nameOf = ({ row, some }: RegisterHistory['items'][number]): string =>
    `${row} ${some === null ? 'all' : [...some].join()}`;
  const known = new Map(other.items.map((item) => [nameOf(item), item.key]));
  const keyOf = Int32Array.from({ length: countKeys(part.history) }, (_, key) => key);
  for (const item of part.items) keyOf[item.key] = known.get(nameOf(item)) ?? -1;
  return keyOf;
}
