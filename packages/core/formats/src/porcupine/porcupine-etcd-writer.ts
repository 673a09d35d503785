import {
  Exchange,
  type History,
  NIL,
  OpKind,
  ReadFrom,
  TxnStatus,
  UNKNOWN_VALUE,
  atomOf,
  buildReadFrom,
  countTransactions,
} from '@isolab/history';
import { type Capabilities, addingTo, anyInteger, lossesOf, naturals, spelling } from '../format/capabilities.ts';
import { eventOrder } from '../events/event-order.ts';
import type { HistoryWriter, Loss } from '../format/format.ts';
import { lineOrderLosses } from '../events/line-order-losses.ts';
import type { Output } from '../files/output.ts';

export const etcdWriter: HistoryWriter = { losses: lossesOfCalls, write };

const CAPABILITIES: Capabilities = {
  operations: [OpKind.Read, OpKind.Write, OpKind.CompareAndSet],
  aborted: 'yes',
  unknown: 'yes',
  sessionNames: naturals,
  keys: () => true, // there is only one key, see below
  values: anyInteger,
  initial: null,
  nilValues: true,
  unknownReads: true, // only for calls that did not succeed, see below
  times: true, // see line-order-losses.ts
};

/**
 * Returns whether a transaction is a call on the register: one operation, on the first key, with a result if it
 * succeeded.
 */
function isCall(history: History, t: number): boolean {
  const { txnStart, txnStatus, opKind, opKey, opValue, exchanges } = history;
  const op = txnStart[t];
  if (txnStart[t + 1] - op !== 1 || opKey[op] !== REGISTER || !CAPABILITIES.operations!.includes(opKind[op]))
    return false;
  if (opKind[op] === OpKind.Read) return txnStatus[t] !== TxnStatus.Committed || opValue[op] !== UNKNOWN_VALUE;
  if (opKind[op] === OpKind.Write) return opValue[op] !== UNKNOWN_VALUE;
  return exchanges.observed[opValue[op]] !== UNKNOWN_VALUE && exchanges.written[opValue[op]] !== UNKNOWN_VALUE;
}

/** Returns whether a compare-and-set expects an initial value that the format cannot spell: any value except nil. */
const expectsInitial = (observed: number, initial: number): boolean => observed === initial && initial !== NIL;

function lossesOfCalls(history: History): Loss[] {
  const { txnStart, txnStatus, opKind, opKey, opValue, exchanges, keyInitial } = history;
  const losses = lossesOf(history, CAPABILITIES);
  const lose = addingTo(losses);
  const counts = { longer: 0, elsewhere: 0, unknown: 0, sawSomething: 0, failed: 0, failedOnInitial: 0 };
  for (let t = 0; t < countTransactions(history); t++) {
    const op = txnStart[t];
    if (txnStart[t + 1] - op > 1) counts.longer++;
    if (txnStart[t + 1] - op !== 1) continue;
    const committed = txnStatus[t] === TxnStatus.Committed;
    if (opKey[op] > REGISTER) counts.elsewhere++;
    else if (!isCall(history, t)) counts.unknown += CAPABILITIES.operations!.includes(opKind[op]) ? 1 : 0;
    else if (opKind[op] === OpKind.Read) counts.sawSomething += !committed && opValue[op] !== UNKNOWN_VALUE ? 1 : 0;
    else if (opKind[op] === OpKind.CompareAndSet && exchanges.flags[opValue[op]] & Exchange.Failed) {
      if (!committed) counts.failed++;
      else if (expectsInitial(exchanges.observed[opValue[op]], keyInitial[REGISTER])) counts.failedOnInitial++;
    }
  }
  lose('longer-transactions', counts.longer, 'are left out');
  lose('other-keys', counts.elsewhere, 'are left out, with the operations on them');
  lose('unknown-reads', counts.unknown, 'are left out');
  lose('unknown-reads', counts.sawSomething, 'replace the results of reads in aborted or undecided calls');
  lose('compare-and-sets', counts.failed, 'of aborted or undecided calls are no longer marked as failed');
  lose('initial-values', counts.failedOnInitial, 'that failed compare-and-sets expected become plain values');
  if (history.keys.type.length > 0 && atomOf(history.keys, REGISTER) !== 'register') {
    lose('key-names', 1, 'becomes "register"');
  }
  return [...losses, ...lineOrderLosses(history, (t) => isCall(history, t), true)];
}

async function write(history: History, output: Output): Promise<void> {
  const { txnStart, txnStatus, txnSession, opKind, opValue, exchanges, sessionNames, values } = history;
  const { readFrom } = buildReadFrom(history);
  const session = spelling(sessionNames, naturals, 0n);
  const number = spelling(values, anyInteger, 1n, UNKNOWN_VALUE + 1);
  const value = (id: number): string => (id === NIL ? 'nil' : number(id).toString());
  const seen = (op: number, id: number): string => (readFrom[op] === ReadFrom.Initial ? 'nil' : value(id));
  const order = eventOrder(history, (t) => isCall(history, t));
  const sink = await output.file();
  for (let i = 0; i < order.txn.length; i++) {
    const t = order.txn[i];
    const op = txnStart[t];
    const id = opValue[op];
    const status = txnStatus[t];
    let type = order.completes[i] === 0 ? ':invoke' : COMPLETIONS[status];
    let call = ':read';
    let argument = 'nil';
    if (opKind[op] === OpKind.Write) {
      call = ':write';
      argument = value(id);
    } else if (opKind[op] === OpKind.CompareAndSet) {
      call = ':cas';
      argument = `[${seen(op, exchanges.observed[id])} ${value(exchanges.written[id])}]`;
      if (type === ':ok' && exchanges.flags[id] & Exchange.Failed) type = ':fail';
    } else if (type === ':ok') argument = seen(op, id);
    if (order.completes[i] === 1 && status !== TxnStatus.Committed) argument = ':timed-out';
    await sink.write(`INFO  jepsen.util - ${session(txnSession[t])}\t${type}\t${call}\t${argument}\n`);
  }
  await sink.close();
}

/** The only key that is written. */
const REGISTER = 0;
const COMPLETIONS = [':ok', ':fail', ':info']; // by TxnStatus
