import { type Atom, literal } from '@isolab/history';

/** An event of a Jepsen history, filled in by the readers of both notations and reused for all events of a file. */
export class JepsenEvent {
  /** An EventType, or -1 if the event has none. */
  type = -1;
  /** The called function, without its colon; '' if there is none. */
  f = '';
  /** The session of the process, NO_PROCESS or NO_CLIENT. */
  session: number = NO_PROCESS;
  /** Name of a process that is not a client, such as `nemesis`. */
  processName = '';
  readonly time = new EventNumber();
  readonly index = new EventNumber();
  /** Whether an error is stated, even if it is nil. */
  hasError = false;
  value: ValueShape = 'none';
  /** The micro-operations of a value of shape `transaction`. */
  readonly microOps = new MicroOps();
  /** The value, if its shape is `datum`. */
  datum: Datum = null;

  clear(): void {
    this.type = -1;
    this.f = '';
    this.session = NO_PROCESS;
    this.processName = '';
    this.time.isStated = false;
    this.index.isStated = false;
    this.hasError = false;
    this.value = 'none';
    this.datum = null;
    this.microOps.count = 0;
  }
}

export const NO_PROCESS = -1;
/** The process is not a number: a nemesis, or another process that is not a client. */
export const NO_CLIENT = -2;

export const EventType = { Invoke: 0, Ok: 1, Fail: 2, Info: 3 } as const;
export const EVENT_TYPES: readonly string[] = ['invoke', 'ok', 'fail', 'info'];

/** `transaction`: a sequence of sequences; `datum`: anything else, including the empty sequence. */
export type ValueShape = 'none' | 'transaction' | 'datum';

/** An atom or a sequence. Maps are opaque, because none of the supported models needs their contents. */
export type Datum = Atom | readonly Datum[];
export const OPAQUE: Atom = literal('{…}');

/** A 64-bit integer in two halves. */
export class EventNumber {
  isStated = false;
  hi = 0;
  lo = 0;

  set(hi: number, lo: number): void {
    this.isStated = true;
    this.hi = hi;
    this.lo = lo;
  }
}

/** Kind of a micro-operation. The comment on each kind describes its value. */
export const MicroKind = {
  /** A read whose result is nil: either not known yet, or absent. */
  ReadNil: 0,
  /** A value id. */
  ReadValue: 1,
  /** A node of the list tree. */
  ReadList: 2,
  /** A value id. */
  Write: 3,
  /** A value id. */
  Append: 4,
} as const;

/** The micro-operations of one transaction, in reused columns. */
export class MicroOps {
  count = 0;
  readonly kind: number[] = [];
  readonly key: number[] = [];
  readonly value: number[] = [];

  add(kind: number, key: number, value: number): void {
    const i = this.count++;
    this.kind[i] = kind;
    this.key[i] = key;
    this.value[i] = value;
  }

  copy({ count, kind, key, value }: MicroOps): void {
    this.count = 0;
    for (let i = 0; i < count; i++) this.add(kind[i], key[i], value[i]);
  }

  /** Returns whether these micro-operations equal others except for the results of reads. */
  asks({ count, kind, key, value }: MicroOps): boolean {
    if (count !== this.count) return false;
    for (let i = 0; i < count; i++) {
      if (key[i] !== this.key[i]) return false;
      if (kind[i] <= MicroKind.ReadList && this.kind[i] <= MicroKind.ReadList) continue;
      if (kind[i] !== this.kind[i] || value[i] !== this.value[i]) return false;
    }
    return true;
  }
}
