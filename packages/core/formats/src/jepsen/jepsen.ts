import { type History, HistoryBuilder, NIL, OpKind, TxnStatus, UNKNOWN_VALUE } from '@isolab/history';
import { unexpected } from '../files/errors.ts';
import { readForms } from '../events/forms.ts';
import type { ByteStream } from '../files/input.ts';
import { EventClock } from './jepsen-clock.ts';
import {
  type Datum,
  EVENT_TYPES,
  EventType,
  type JepsenEvent,
  MicroKind,
  MicroOps,
  NO_CLIENT,
  NO_PROCESS,
} from './jepsen-event.ts';
import type { JepsenEventReader } from './jepsen-event-reader.ts';
import { type ModelCall, addModelCalls, sameDatum } from './jepsen-models.ts';
import { KeyUses, settleNilReads } from '../format/nil-reads.ts';

export async function readJepsen(
  syntax: 'edn' | 'json',
  input: ByteStream,
  EventReader: new (builder: HistoryBuilder) => JepsenEventReader,
): Promise<History> {
  const history = new JepsenHistory(`jepsen-${syntax}`, input);
  const events = new EventReader(history.builder);
  const readForm = (line: number, rewind: () => void): void => {
    events.read(rewind);
    history.add(events.event, line);
  };
  await readForms(input, { syntax, reader: events.reader, readForm });
  return history.finish();
}

/**
 * Histories of Jepsen, as Elle reads them: events that invoke operations and events that complete them. This is the
 * common part of the notations; jepsen-edn.ts and jepsen-json.ts read and write them.
 *
 * An operation is invoked by a process, which is a session, and completed by the next event of that process: `ok` means
 * committed, `fail` aborted and `info` unknown. The outcome is also unknown if the operation never completes. The value
 * is a transaction of list appends, register writes and reads of either; jepsen-models.ts lists its other forms.
 * Results of reads are known from `ok`, and otherwise only if the completion states them.
 *
 * Events of processes that are not numbers, such as a nemesis, are counted and left out. If no event has a process, an
 * operation belongs to session 0 if no operation is open when it is invoked, and otherwise to a session of its own;
 * overlapping operations thus stay unordered. Its completion is the event that calls the same function with the same
 * value.
 *
 * Two events of a process `isolab` may come first, written by isolab itself; other tools treat it as a nemesis.
 * `sessions` states the order of sessions, including empty sessions, and `untimed` that the order of events is made up.
 */
class JepsenHistory {
  readonly builder: HistoryBuilder;
  readonly #file: string;
  readonly #clock = new EventClock();
  readonly #keyUses = new KeyUses();
  readonly #open: (OpenOperation | undefined)[] = []; // by session
  readonly #spare: OpenOperation[] = []; // no longer in use
  readonly #overlapping: number[] = []; // sessions with an open operation, if no event has a process
  readonly #modelCalls: ModelCall[] = [];
  #firstTransaction = 0; // line of the first operation that is a transaction, 0 before it
  #events = 0;
  #hasProcesses: boolean | null = null; // null until an event decides it
  #isTimed = true;
  #areCompletions = false; // whether the file has completions only

  constructor(format: string, { name, share }: ByteStream) {
    this.#file = name;
    this.builder = new HistoryBuilder({ format, file: name, unit: 'line', share });
  }

  /** Adds the next event, which begins on this line. */
  add(event: JepsenEvent, line: number): void {
    const number = this.#events++;
    if (event.session === NO_CLIENT) {
      if (event.processName === 'isolab') this.#readRemark(event, line);
      else this.builder.note('nemesisEvents');
      return;
    }
    if (event.type < 0) this.#fail(line, 'an event without a type', 'invoke, ok, fail or info');
    this.#hasProcesses ??= event.session !== NO_PROCESS;
    if (this.#hasProcesses !== (event.session !== NO_PROCESS)) {
      const [found, expected] = this.#hasProcesses ? ['no process', 'a process'] : ['a process', 'no process'];
      this.#fail(line, found, `${expected}, as in the earlier events`);
    }
    if (event.type === EventType.Invoke && this.#areCompletions)
      this.#fail(line, 'an invocation', 'a completion, as the file began with a completion');
    if (event.type === EventType.Invoke) this.#invoke(event, line, number);
    else this.#complete(event, line, number);
  }

  finish(): History {
    const { builder } = this;
    if (builder.transactions === 0) {
      throw unexpected(this.#file, null, 'no operation', 'events of type invoke, and their completions');
    }
    for (const open of this.#open) if (open) this.#close(open, TxnStatus.Unknown, open.microOps, null, false);
    if (this.#modelCalls.length > 0) {
      if (this.#firstTransaction > 0) {
        const { line, f } = this.#modelCalls[0];
        this.#fail(line, `the operation ${f}`, `a transaction, as on line ${this.#firstTransaction}`);
      }
      addModelCalls(builder, this.#modelCalls, this.#file);
    }
    if (this.#isTimed) this.#clock.tell(builder);
    builder.note('events', this.#events);
    const history = builder.finish();
    settleNilReads(history, this.#keyUses);
    return history;
  }

  #invoke(event: JepsenEvent, line: number, number: number): void {
    const session = event.session === NO_PROCESS ? this.#sessionOfItsOwn(line) : event.session;
    const before = this.#open[session];
    if (before) {
      this.#fail(
        line,
        'an invocation',
        `the completion of the operation that this process invoked on line ${before.line}`,
      );
    }
    const open = (this.#open[session] = this.#spare.pop() ?? new OpenOperation());
    open.session = session;
    open.line = line;
    open.f = event.f;
    open.isTransaction = event.value === 'transaction' || event.f === 'txn' || event.f === '';
    open.datum = event.datum;
    open.microOps.copy(event.microOps);
    if (open.isTransaction) {
      if (!statesTransaction(event)) this.#fail(line, showValue(event), 'a sequence of micro-operations');
      if (this.#firstTransaction === 0) this.#firstTransaction = line;
    }
    open.t = this.builder.begin(session, line);
    this.#clock.begin(open.t, event, number);
  }

  #complete(event: JepsenEvent, line: number, number: number): void {
    // A file of completions only, as Elle's tests have it, states no times.
    if (this.builder.transactions === 0 && statesTransaction(event)) {
      this.#areCompletions = true;
      this.#isTimed = false;
    }
    if (this.#areCompletions) this.#invoke(event, line, number);
    const open = event.session === NO_PROCESS ? this.#findOverlapping(event, line) : this.#open[event.session];
    const type = EVENT_TYPES[event.type];
    if (!open)
      return this.#fail(line, `an event of type ${type}`, 'invoke, because this process has no open operation');
    if (event.f !== open.f && event.f !== '') {
      this.#fail(
        line,
        `a completion of ${event.f}`,
        `a completion of ${open.f || 'a transaction'}, invoked on line ${open.line}`,
      );
    }
    const same = open.isTransaction && statesTransaction(event) && open.microOps.asks(event.microOps);
    if (event.type === EventType.Ok && open.isTransaction && !same) {
      const found = statesTransaction(event) ? 'a transaction' : showValue(event);
      this.#fail(line, found, `the transaction invoked on line ${open.line}, with the results of its reads`);
    }
    this.#clock.end(open.t, event, number);
    const status = STATUS_OF_TYPE[event.type];
    const datum = event.value === 'datum' ? event.datum : null;
    this.#close(open, status, same ? event.microOps : open.microOps, datum, event.hasError);
  }

  /** Adds the operations of an open transaction, as invoked or as completed. */
  #close(open: OpenOperation, status: number, microOps: MicroOps, datum: Datum, hasError: boolean): void {
    const { builder } = this;
    this.#open[open.session] = undefined;
    this.#spare.push(open);
    builder.outcome(open.t, status);
    if (open.isTransaction) {
      builder.resume(open.t);
      this.#addMicroOps(microOps, status === TxnStatus.Committed);
    } else {
      const { t, line, f } = open;
      this.#modelCalls.push({ t, line, f, invoked: open.datum, completed: datum, status, hasError });
    }
  }

  #addMicroOps({ count, kind, key, value }: MicroOps, isCommitted: boolean): void {
    const { builder } = this;
    for (let i = 0; i < count; i++) {
      switch (kind[i]) {
        case MicroKind.ReadNil:
          builder.op(OpKind.Read, key[i], isCommitted ? NIL : UNKNOWN_VALUE);
          break;
        case MicroKind.ReadValue:
          this.#keyUses.asRegister(key[i]);
          builder.op(OpKind.Read, key[i], value[i]);
          break;
        case MicroKind.ReadList:
          this.#keyUses.asList(key[i]);
          builder.op(OpKind.ListRead, key[i], value[i]);
          break;
        case MicroKind.Write:
          this.#keyUses.asRegister(key[i]);
          builder.op(OpKind.Write, key[i], value[i]);
          break;
        case MicroKind.Append:
          this.#keyUses.asList(key[i]);
          builder.op(OpKind.Append, key[i], value[i]);
      }
    }
  }

  #readRemark(event: JepsenEvent, line: number): void {
    if (this.builder.transactions > 0)
      this.#fail(line, 'a remark of isolab after an operation', 'remarks before the first operation');
    if (event.f === 'untimed') this.#isTimed = false;
    else if (event.f === 'sessions' && Array.isArray(event.datum)) {
      for (const name of event.datum as readonly Datum[]) {
        if (typeof name !== 'bigint') this.#fail(line, 'something else', 'the number of a session');
        this.builder.session(name);
      }
    } else this.#fail(line, `the remark ${event.f}`, 'untimed, or sessions and their numbers');
  }

  #sessionOfItsOwn(line: number): number {
    const { sessions } = this.builder;
    const overlapping = this.#overlapping;
    if (overlapping.length === MOST_OVERLAPPING) {
      this.#fail(line, `more than ${MOST_OVERLAPPING} open operations`, 'a process in every event');
    }
    const isAlone = overlapping.length === 0 && !this.#areCompletions;
    const session = sessions.integer(0, isAlone ? 0 : sessions.size);
    overlapping.push(session);
    return session;
  }

  /** Finds the open operation that an event without a process completes: the only open operation, or the only match. */
  #findOverlapping(event: JepsenEvent, line: number): OpenOperation | undefined {
    const overlapping = this.#overlapping;
    let fitting = overlapping;
    if (overlapping.length > 1) fitting = overlapping.filter((session) => fits(this.#open[session]!, event));
    if (fitting.length > 1) {
      this.#fail(line, `a completion that fits ${fitting.length} open operations`, 'a process in every event');
    }
    if (fitting.length === 0) return undefined;
    const [session] = fitting;
    overlapping.splice(overlapping.indexOf(session), 1);
    return this.#open[session];
  }

  #fail(line: number, found: string, expected: string): never {
    throw unexpected(this.#file, `line ${line}`, found, expected);
  }
}

class OpenOperation {
  session = -1;
  t = -1;
  line = 0;
  f = '';
  isTransaction = false;
  readonly microOps = new MicroOps();
  datum: Datum = null;
}

const statesTransaction = ({ value, datum }: JepsenEvent): boolean =>
  value === 'transaction' || (value === 'datum' && Array.isArray(datum) && datum.length === 0);

const showValue = ({ value }: JepsenEvent): string => (value === 'none' ? 'no value' : 'a value of the wrong form');

/**
 * Returns whether an event may complete this operation, judging by its function and value. A read is invoked without a
 * value.
 */
function fits(open: OpenOperation, event: JepsenEvent): boolean {
  if (event.f !== open.f) return false;
  if (open.isTransaction) return statesTransaction(event) && open.microOps.asks(event.microOps);
  return open.datum === null || event.value === 'none' || sameDatum(open.datum, event.datum);
}

const STATUS_OF_TYPE = [-1, TxnStatus.Committed, TxnStatus.Aborted, TxnStatus.Unknown];
/** Without processes, every completion is compared with every open operation. */
const MOST_OVERLAPPING = 1000;
