import {
  type History,
  NO_TIME,
  OpKind,
  type OperationId,
  Outcome,
  ReadFrom,
  type ReadFromIndex,
  TimeBounds,
  type TransactionId,
  buildReadFrom,
  listVersions,
  transactionOfOperations,
  valueRead,
  valueWritten,
} from '@isolab/history';

/** Denotes the initial transaction among transaction numbers. */
export const INITIAL = -1;

/** Operations of the committed transactions of a small history. The transactions have numbers of their own. */
export interface PartFacts {
  readonly history: History;
  /** Number of each transaction in the history. */
  readonly txns: readonly number[];
  readonly session: readonly number[];
  /** External reads, which precede any write of the key in their transaction, in the order of the history. */
  readonly reads: readonly ExternalRead[];
  readonly writers: ReadonlyMap<number, readonly number[]>;
  /** Writer orders that list reads show. */
  readonly versions: readonly Version[];
  /** Set if no order of the appends explains the lists. */
  readonly conflict: 'incompatible-order' | 'duplicate-elements' | null;
  /** For each key, 1 if anti-dependencies from reads of the key are ignored. */
  readonly misses: Uint8Array | null;
  /** Bounds in real time: the earliest and latest begin, the earliest and latest commit. */
  readonly begin: readonly (bigint | null)[];
  readonly begunBy: readonly (bigint | null)[];
  readonly commitsAfter: readonly (bigint | null)[];
  readonly end: readonly (bigint | null)[];
}

export interface Version {
  readonly key: number;
  readonly first: number;
  readonly second: number;
}

export interface ExternalRead {
  readonly op: OperationId;
  readonly reader: number;
  readonly key: number;
  /** Possible writers of the value that was read. There are several only if values repeat. */
  readonly from: readonly number[];
}

/** Returns null where outcomes are a choice. Exchanges and range reads must have been lowered. */
export function factsOf(history: History, index: ReadFromIndex = buildReadFrom(history)): PartFacts | null {
  if (index.outcome.includes(Outcome.Open)) return null;
  const txns = Array.from(index.outcome.keys() as Iterable<TransactionId>).filter(
    (t) => index.outcome[t] === Outcome.Happened,
  );
  const local = new Map(txns.map((t, i) => [t, i]));
  const writers = new Map<number, number[]>();
  const reads: ExternalRead[] = [];
  const txnOf = transactionOfOperations(history);
  const sourcesOf = readSources(history, index, txnOf, local);
  txns.forEach((t, i) => {
    const written = new Set<number>();
    for (let op = history.txnStart[t]; op < history.txnStart[t + 1]; op++) {
      const key = history.opKey[op];
      if (valueWritten(history, op) >= 0) {
        if (!written.has(key)) writers.set(key, [...(writers.get(key) ?? []), i]);
        written.add(key);
        continue;
      }
      if (written.has(key) && history.opKind[op] === OpKind.Read) continue;
      const from = sourcesOf(op, i);
      if (from.length > 0) reads.push({ op, reader: i, key, from });
    }
  });
  const bounds = new TimeBounds(history);
  const times = (bound: (t: TransactionId) => bigint): (bigint | null)[] =>
    txns.map((t) => (bound(t) === NO_TIME ? null : bound(t)));
  return {
    history,
    txns,
    session: txns.map((t) => history.txnSession[t]),
    reads,
    writers,
    ...listOrders(history, index, local),
    misses: null,
    begin: times((t) => bounds.earliestBegin(t)),
    begunBy: times((t) => bounds.latestBegin(t)),
    commitsAfter: times((t) => bounds.earliestCommit(t)),
    end: times((t) => bounds.latestCommit(t)),
  };
}

/** Possible sources of an operation; empty if it read nothing, or read a value that no transaction may show. */
function readSources(history: History, index: ReadFromIndex, txnOf: Int32Array, local: ReadonlyMap<number, number>) {
  return (op: OperationId, reader: number): number[] => {
    const from = index.readFrom[op];
    if (from === ReadFrom.Initial) return [INITIAL];
    if (from >= 0) {
      const writer = local.get(txnOf[from]);
      return writer === undefined || writer === reader ? [] : [writer];
    }
    if (from !== ReadFrom.Ambiguous || history.opKind[op] === OpKind.ListRead) return [];
    const [key, value] = [history.opKey[op], valueRead(history, op)];
    const candidates = value === history.keyInitial[key] ? [INITIAL] : [];
    for (const [t, i] of local) {
      let last = -1;
      for (let w = history.txnStart[t]; w < history.txnStart[t + 1]; w++)
        if (history.opKey[w] === key && valueWritten(history, w) >= 0) last = valueWritten(history, w);
      if (i !== reader && last === value) candidates.push(i);
    }
    return candidates;
  };
}

function listOrders(
  history: History,
  index: ReadFromIndex,
  local: ReadonlyMap<number, number>,
): Pick<PartFacts, 'versions' | 'conflict'> {
  if (!history.opKind.includes(OpKind.ListRead)) return { versions: [], conflict: null };
  const { keyStart, numShown, txn, conflicts } = listVersions(history, index);
  const versions: Version[] = [];
  const add = (key: number, a: number, b: number): void => {
    const [first, second] = [local.get(a), local.get(b)];
    if (first !== undefined && second !== undefined && first !== second) versions.push({ key, first, second });
  };
  for (let key = 0; key + 1 < keyStart.length; key++) {
    const shownEnd = keyStart[key] + numShown[key];
    for (let v = keyStart[key] + 1; v < shownEnd; v++) add(key, txn[v - 1], txn[v]);
    if (numShown[key] > 0) for (let v = shownEnd; v < keyStart[key + 1]; v++) add(key, txn[shownEnd - 1], txn[v]);
  }
  const kinds = conflicts.map(({ kind }) => kind);
  const conflict = kinds.some((kind) => kind !== 'duplicate')
    ? 'incompatible-order'
    : kinds.length > 0
      ? 'duplicate-elements'
      : null;
  return { versions, conflict };
}
