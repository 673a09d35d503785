import {
  type Atom,
  Exchange,
  type History,
  NIL,
  OpKind,
  ReadFrom,
  TxnStatus,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  atomOf,
  buildReadFrom,
  countSessions,
  listElements,
} from '@isolab/history';
import { anyInteger, spelling } from '../format/capabilities.ts';
import { type EventOrder, eventOrder } from '../events/event-order.ts';
import type { HistoryWriter } from '../format/format.ts';
import { jepsenLosses } from './jepsen-losses.ts';
import type { Notation } from './jepsen-notation.ts';
import { type Workload, workloadOf } from './jepsen-workload.ts';
import { countMovedSessions } from '../events/line-order-losses.ts';
import type { Output } from '../files/output.ts';

/**
 * Writes a history as events, in the order that event-order.ts describes. Times in nanoseconds are written as `:time`,
 * and numbers of events as `:index`. In a history without times, a remark of process `isolab` (see jepsen.ts) states
 * that there are none; another remark states the order of sessions if it differs from the order of their first events.
 * Other tools skip such remarks as they skip a nemesis, and will treat the order of an untimed history as real time:
 * use them only to check models that do not depend on real time.
 */
export const jepsenWriter = (notation: Notation): HistoryWriter => ({
  losses: (history) => jepsenLosses(history, notation),
  write: (history, output) => write(history, notation, output),
});

async function write(history: History, notation: Notation, output: Output): Promise<void> {
  const order = eventOrder(history);
  const events = new EventWriter(history, notation);
  const sink = await output.file();
  await sink.write(notation.begin);
  let between = '';
  for (const remark of remarksOn(history, order, notation, events)) {
    await sink.write(between + remark);
    between = notation.between;
  }
  for (let i = 0; i < order.txn.length; i++) {
    await sink.write(
      between + events.event(order.txn[i], order.completes[i] === 1, order.time === null ? null : order.time[i]),
    );
    between = notation.between;
  }
  await sink.write(notation.end);
  await sink.close();
}

function remarksOn(history: History, order: EventOrder, notation: Notation, events: EventWriter): string[] {
  const remarks: string[] = [];
  const first = order.time === null || history.source.timeUnit !== 'events' ? null : order.time[0];
  const remark = (f: string, ...value: (readonly [string, string])[]): void => {
    const fields = [
      ['type', notation.word('info')],
      ['f', notation.word(f)],
      ...value,
      ['process', notation.word('isolab')],
    ] as const;
    // Tools require that either all events have an index or none.
    remarks.push(notation.event(first === null ? fields : [...fields, ['index', `${first - 1n}`]]));
  };
  if (order.time === null) remark('untimed');
  const hasEmptySession = history.sessionStart.some((start, s) => s > 0 && start === history.sessionStart[s - 1]);
  if (hasEmptySession || countMovedSessions(history, order) > 0) {
    const names = Array.from({ length: countSessions(history) }, (_, s) => events.process(s));
    remark('sessions', ['value', notation.sequence(names)]);
  }
  return remarks;
}

class EventWriter {
  readonly #history: History;
  readonly #notation: Notation;
  readonly #workload: Workload;
  readonly #readFrom: Int32Array;
  readonly #key: (id: number) => Atom;
  readonly #value: (id: number) => Atom;
  readonly process: (session: number) => string;

  constructor(history: History, notation: Notation) {
    this.#history = history;
    this.#notation = notation;
    this.#workload = workloadOf(history);
    this.#readFrom = buildReadFrom(history).readFrom;
    this.#key = spelling(history.keys, notation.range(history.keys), 0n);
    this.#value = spelling(history.values, notation.range(history.values), 1n, UNKNOWN_VALUE + 1);
    const session = spelling(history.sessionNames, anyInteger, 0n);
    this.process = (s) => session(s).toString();
  }

  event(t: number, completes: boolean, time: bigint | null): string {
    const { txnSession, txnStatus, source } = this.#history;
    const { word, event } = this.#notation;
    const op = this.#history.txnStart[t];
    let type = completes ? COMPLETIONS[txnStatus[t]] : 'invoke';
    let f = 'txn';
    let value: string | null = null;
    if (this.#workload === 'transactions') value = this.#transaction(t, completes);
    else if (this.#workload === 'mutex') f = this.#isAcquire(op) ? 'acquire' : 'release';
    else {
      [f, value] = this.#call(op, type === 'ok');
      if (type === 'ok' && this.#isFailedComparison(op)) type = 'fail';
    }
    const fields: (readonly [string, string])[] = [
      ['type', word(type)],
      ['f', word(f)],
    ];
    if (value !== null) fields.push(['value', value]);
    fields.push(['process', this.process(txnSession[t])]);
    if (time !== null) fields.push([source.timeUnit === 'events' ? 'index' : 'time', time.toString()]);
    // A failure without an error would mean a failed comparison.
    if (this.#workload === 'register' && completes && txnStatus[t] === TxnStatus.Aborted)
      fields.push(['error', word('aborted')]);
    return event(fields);
  }

  #transaction(t: number, completes: boolean): string {
    const { txnStart, txnStatus, opKind, opKey, opValue, lists } = this.#history;
    const { word, sequence, nil } = this.#notation;
    const isCommitted = txnStatus[t] === TxnStatus.Committed;
    const microOps: string[] = [];
    const add = (f: string, key: number, value: string): void => {
      microOps.push(sequence([word(f), this.#keyText(key), value]));
    };
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const id = opValue[op];
      switch (opKind[op]) {
        case OpKind.Write:
        case OpKind.Append:
          if (id !== UNKNOWN_VALUE) add(opKind[op] === OpKind.Write ? 'w' : 'append', opKey[op], this.#valueText(id));
          break;
        case OpKind.Read:
          if (isCommitted && id === UNKNOWN_VALUE) break;
          add('r', opKey[op], completes && id !== UNKNOWN_VALUE ? this.#seen(op, id) : nil);
          break;
        case OpKind.ListRead:
          if (isCommitted && id === UNKNOWN_LIST) break;
          if (!completes || id === UNKNOWN_LIST) add('r', opKey[op], nil);
          else
            add('r', opKey[op], sequence(Array.from(listElements(lists, id), (element) => this.#valueText(element))));
      }
    }
    return sequence(microOps);
  }

  #call(op: number, isOk: boolean): [f: string, value: string] {
    const { opKind, opValue, exchanges } = this.#history;
    const id = opValue[op];
    if (opKind[op] === OpKind.Read) return ['read', isOk ? this.#seen(op, id) : this.#notation.nil];
    if (opKind[op] === OpKind.Write) return ['write', this.#valueText(id)];
    const expected = this.#seen(op, exchanges.observed[id]);
    return ['cas', this.#notation.sequence([expected, this.#valueText(exchanges.written[id])])];
  }

  #isFailedComparison(op: number): boolean {
    const { opKind, opValue, exchanges } = this.#history;
    return opKind[op] === OpKind.CompareAndSet && (exchanges.flags[opValue[op]] & Exchange.Failed) !== 0;
  }

  #isAcquire(op: number): boolean {
    const { exchanges, opValue, values } = this.#history;
    return atomOf(values, exchanges.observed[opValue[op]]) === 'free';
  }

  #seen(op: number, id: number): string {
    return this.#readFrom[op] === ReadFrom.Initial ? this.#notation.nil : this.#valueText(id);
  }

  #keyText(id: number): string {
    return this.#notation.atom(this.#key(id));
  }

  #valueText(id: number): string {
    return id === NIL ? this.#notation.nil : this.#notation.atom(this.#value(id));
  }
}

const COMPLETIONS = ['ok', 'fail', 'info']; // by TxnStatus
