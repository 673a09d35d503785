import {
  type History,
  NIL,
  Outcome,
  OpKind,
  ReadFrom,
  type ReadFromIndex,
  TxnStatus,
  transactionOf,
} from '@isolab/history';

/**
 * The transactions of unknown outcome of which it is a choice whether they happened: one of several that a read may have
 * seen, or read from by one of these. Those that contradict themselves did not. Null if there are none.
 */
export function optionalTransactions(history: History, index: ReadFromIndex): Uint8Array | null {
  const { outcome, readFrom } = index;
  const { txnStatus, txnStart } = history;
  if (!outcome.includes(Outcome.Open)) return null;
  const optional = new Uint8Array(outcome.length);
  const reached = outcome.map((one) => (one === Outcome.Open ? 1 : 0));
  const found = Array.from(outcome.keys()).filter((t) => reached[t] === 1);
  for (let t = found.pop(); t !== undefined; t = found.pop()) {
    if (!isConsistent(history, index, t)) continue;
    optional[t] = 1;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (readFrom[op] < 0) continue;
      const writer = transactionOf(history, readFrom[op]);
      if (reached[writer] === 1 || txnStatus[writer] !== TxnStatus.Unknown || outcome[writer] === Outcome.Happened)
        continue;
      reached[writer] = 1;
      found.push(writer);
    }
  }
  return optional;
}

/** Whether a transaction of reads and writes saw its own writes, and otherwise versions that somebody may have left. */
function isConsistent(history: History, { readFrom }: ReadFromIndex, t: number): boolean {
  const { txnStart, txnStatus, opKind, opKey, opValue, keyInitial } = history;
  const own = new Map<number, number>();
  const seen = new Map<number, number>();
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    const key = opKey[op];
    if (opKind[op] === OpKind.Write) {
      own.set(key, op);
      continue;
    }
    const from = readFrom[op];
    if (from === ReadFrom.None) continue;
    if (from === ReadFrom.ThinAir) return false;
    if (own.has(key)) {
      if (own.get(key) !== from) return false;
      continue;
    }
    const value = opValue[op] === keyInitial[key] ? NIL : opValue[op]; // the same version
    if (seen.has(key) && seen.get(key) !== value) return false;
    seen.set(key, value);
    if (from < 0) continue;
    const writer = transactionOf(history, from);
    if (writer === t || txnStatus[writer] === TxnStatus.Aborted || !isLastWrite(history, writer, from)) return false;
  }
  return true;
}

function isLastWrite({ txnStart, opKind, opKey }: History, t: number, write: number): boolean {
  for (let op = write + 1; op < txnStart[t + 1]; op++)
    if (opKind[op] === OpKind.Write && opKey[op] === opKey[write]) return false;
  return true;
}
