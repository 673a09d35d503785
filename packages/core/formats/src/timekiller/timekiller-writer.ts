import {
  EMPTY_LIST,
  type History,
  NO_TIME,
  OpKind,
  ReadFrom,
  TxnStatus,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  atomOf,
  buildReadFrom,
  countTransactions,
  listElements,
} from '@isolab/history';
import { type Capabilities, type AtomRange, lossesOf, signed64, spelling } from '../format/capabilities.ts';
import { withMistakableZeros } from '../dbcop/dbcop-initial-zeros.ts';
import type { HistoryWriter } from '../format/format.ts';
import type { Output } from '../files/output.ts';

const words: AtomRange = (atom) => typeof atom === 'string' || (atom !== null && signed64(atom));

const CAPABILITIES: Capabilities = {
  operations: [OpKind.Read, OpKind.Write, OpKind.Append, OpKind.ListRead],
  emptyTransactions: true,
  sessionNames: words,
  transactionNames: words,
  keys: signed64,
  values: signed64,
  initial: null,
  timestamps: true,
};

export const timekillerWriter: HistoryWriter = {
  losses: (history) => withMistakableZeros(lossesOf(history, CAPABILITIES), history, buildReadFrom(history).readFrom),
  write,
};

async function write(history: History, output: Output): Promise<void> {
  const { txnStart, txnStatus, txnSession, txnNames, sessionNames, txnStartTs, txnCommitTs } = history;
  const { opKind, opKey, opValue, lists } = history;
  const { readFrom } = buildReadFrom(history);
  const key = spelling(history.keys, signed64, 0n);
  const value = spelling(history.values, signed64, 1n, UNKNOWN_VALUE + 1);
  const named = (name: unknown, otherwise: number): string =>
    typeof name === 'bigint' ? String(name) : JSON.stringify(typeof name === 'string' ? name : String(otherwise));
  const time = (name: string, column: BigInt64Array | null, t: number): string =>
    column === null || column[t] === NO_TIME ? '' : `,"${name}":{"p":${column[t]},"l":0}`;
  const elements = (list: number): bigint[] =>
    list === EMPTY_LIST ? [] : Array.from(listElements(lists, list), (element) => value(element));
  const spelled = (op: number): string | null => {
    switch (opKind[op]) {
      case OpKind.Write:
      case OpKind.Append:
        return opValue[op]! > UNKNOWN_VALUE ? String(value(opValue[op]!)) : null;
      case OpKind.Read:
        if (readFrom[op] === ReadFrom.Initial) return 'null';
        return opValue[op]! > UNKNOWN_VALUE ? String(value(opValue[op]!)) : null;
      case OpKind.ListRead:
        if (opValue[op] === UNKNOWN_LIST) return null;
        return `[${elements(opValue[op]!).join(',')}]`;
      default:
        return null;
    }
  };

  const sink = await output.file();
  await sink.write('[');
  let isFirst = true;
  for (let t = 0; t < countTransactions(history); t++) {
    if (txnStatus[t] !== TxnStatus.Committed) continue;
    const operations: string[] = [];
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
      const text = spelled(op);
      if (text !== null) operations.push(`{"t":"${LETTERS[opKind[op]!]}","k":${key(opKey[op]!)},"v":${text}}`);
    }
    const tid = txnNames === null ? String(t) : named(atomOf(txnNames, t), t);
    const sid = named(atomOf(sessionNames, txnSession[t]!), txnSession[t]!);
    const times = `${time('sts', txnStartTs, t)}${time('cts', txnCommitTs, t)}`;
    await sink.write(`${isFirst ? '' : ','}\n{"tid":${tid},"sid":${sid}${times},"ops":[${operations.join(',')}]}`);
    isFirst = false;
  }
  await sink.write('\n]\n');
  await sink.close();
}

const LETTERS: Readonly<Record<number, string>> = {
  [OpKind.Read]: 'r',
  [OpKind.Write]: 'w',
  [OpKind.Append]: 'a',
  [OpKind.ListRead]: 'r',
};
