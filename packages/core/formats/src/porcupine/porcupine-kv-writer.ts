import {
  type Atom,
  type History,
  NIL,
  OpKind,
  ReadFrom,
  TxnStatus,
  UNKNOWN_VALUE,
  atomOf,
  buildReadFrom,
  countAtoms,
  countTransactions,
} from '@isolab/history';
import { type Capabilities, addingTo, lossesOf, naturals, spelling } from '../format/capabilities.ts';
import { eventOrder } from '../events/event-order.ts';
import type { HistoryWriter, Loss } from '../format/format.ts';
import { lineOrderLosses } from '../events/line-order-losses.ts';
import type { Output } from '../files/output.ts';

export const kvWriter: HistoryWriter = { losses: lossesOfCalls, write };

const isString = (atom: Atom): boolean => typeof atom === 'string';

const CAPABILITIES: Capabilities = {
  operations: [OpKind.Read, OpKind.Write, OpKind.Append],
  unknown: 'yes', // only for the last call of a session, see below
  sessionNames: naturals,
  keys: isString,
  values: isString,
  initial: 'any', // spelled "", see below, as are nil and unknown results
  nilValues: true,
  unknownReads: true,
  times: true, // see line-order-losses.ts
};

/** Transactions of a history as calls of the format, and the reasons why some cannot be calls. */
class Calls {
  readonly #history: History;
  readonly #readFrom: Int32Array;

  constructor(history: History) {
    this.#history = history;
    this.#readFrom = buildReadFrom(history).readFrom;
  }

  /** Decides whether the format can hold a transaction, and returns the reason if it is specific to this format. */
  judge(t: number): 'kept' | 'longer' | 'not last' | 'nil' | 'unknown' | 'left out' {
    const { txnStart, txnStatus, txnSession, sessionStart, opKind, opValue } = this.#history;
    const op = txnStart[t];
    const status = txnStatus[t];
    if (txnStart[t + 1] - op > 1) return 'longer';
    if (status === TxnStatus.Aborted || txnStart[t + 1] === op || !(opKind[op] in FUNCTIONS)) return 'left out';
    if (status === TxnStatus.Unknown && sessionStart[txnSession[t] + 1] !== t + 1) return 'not last';
    if (status === TxnStatus.Unknown && opKind[op] === OpKind.Read) return 'kept';
    if (opValue[op] > UNKNOWN_VALUE || this.readsInitial(op)) return 'kept';
    return opValue[op] === NIL ? 'nil' : 'unknown';
  }

  /** The index does not cover keys with appends. */
  readsInitial(op: number): boolean {
    const { opKind, opKey, opValue, keyInitial } = this.#history;
    if (opKind[op] !== OpKind.Read) return false;
    if (this.#readFrom[op] !== ReadFrom.None) return this.#readFrom[op] === ReadFrom.Initial;
    return opValue[op] === keyInitial[opKey[op]];
  }

  /**
   * Returns whether a read would change its meaning: to a read of the initial state, or from the initial state to a
   * mere string.
   */
  isMistaken(op: number, empty: number): boolean {
    const { opKind, opKey, opValue, keyInitial } = this.#history;
    if (opKind[op] === OpKind.Write) return opValue[op] === empty && keyInitial[opKey[op]] !== empty;
    if (opKind[op] !== OpKind.Read) return false;
    if (this.readsInitial(op)) return this.#readFrom[op] === ReadFrom.None && opValue[op] !== empty;
    const initial = keyInitial[opKey[op]];
    return initial !== empty && (opValue[op] === empty || opValue[op] === initial);
  }
}

function lossesOfCalls(history: History): Loss[] {
  const { txnStart, txnStatus, opKind, opValue } = history;
  const losses = lossesOf(history, CAPABILITIES);
  const lose = addingTo(losses);
  const calls = new Calls(history);
  const empty = idOfEmptyString(history);
  const counts = { longer: 0, notLast: 0, nil: 0, unknown: 0, sawSomething: 0, mistaken: 0 };
  for (let t = 0; t < countTransactions(history); t++) {
    const judgement = calls.judge(t);
    if (judgement === 'longer') counts.longer++;
    if (judgement === 'not last') counts.notLast++;
    if (judgement === 'nil') counts.nil++;
    if (judgement === 'unknown') counts.unknown++;
    if (judgement !== 'kept') continue;
    const op = txnStart[t];
    const isUnknown = txnStatus[t] === TxnStatus.Unknown;
    if (isUnknown && opKind[op] === OpKind.Read && opValue[op] !== UNKNOWN_VALUE) counts.sawSomething++;
    if (!isUnknown && calls.isMistaken(op, empty)) counts.mistaken++;
  }
  lose('longer-transactions', counts.longer, 'are left out');
  lose('unknown-outcomes', counts.notLast, 'that are not last in their session are left out');
  lose('nil-reads', counts.nil, 'and writes are left out');
  lose('unknown-reads', counts.unknown, 'are left out');
  lose('unknown-reads', counts.sawSomething, 'replace the results of reads in undecided calls');
  lose('initial-values', counts.mistaken, 'become indistinguishable from the initial state');
  return [...losses, ...lineOrderLosses(history, (t) => calls.judge(t) === 'kept', false)];
}

async function write(history: History, output: Output): Promise<void> {
  const { txnStart, txnStatus, txnSession, opKind, opKey, opValue } = history;
  const calls = new Calls(history);
  const session = spelling(history.sessionNames, naturals, 0n);
  const key = spelling(history.keys, isString, 0n);
  const value = spelling(history.values, isString, 1n, UNKNOWN_VALUE + 1);
  const order = eventOrder(history, (t) => calls.judge(t) === 'kept');
  const sink = await output.file();
  for (let i = 0; i < order.txn.length; i++) {
    const t = order.txn[i];
    const op = txnStart[t];
    const returns = order.completes[i] === 1;
    if (returns && txnStatus[t] === TxnStatus.Unknown) continue;
    const hasValue = returns || opKind[op] !== OpKind.Read;
    const text = !hasValue ? 'nil' : calls.readsInitial(op) ? '""' : JSON.stringify(String(value(opValue[op])));
    const [type, f] = [returns ? ':ok' : ':invoke', FUNCTIONS[opKind[op] as keyof typeof FUNCTIONS]];
    await sink.write(
      `{:process ${session(txnSession[t])}, :type ${type}, :f :${f}, :key ${JSON.stringify(String(key(opKey[op])))}, :value ${text}}\n`,
    );
  }
  await sink.close();
}

/** Returns the id of the value "", or -2, which is not the id of any value. */
function idOfEmptyString({ values }: History): number {
  for (let id = 0; id < countAtoms(values); id++) if (atomOf(values, id) === '') return id;
  return -2;
}

const FUNCTIONS = { [OpKind.Read]: 'get', [OpKind.Write]: 'put', [OpKind.Append]: 'append' } as const;
