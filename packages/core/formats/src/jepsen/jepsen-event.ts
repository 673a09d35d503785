import { type Atom, literal } from '@isolab/history';

/** An event of a Jepsen history, as the readers of both notations fill it in; reused for all events of a file. */
export class JepsenEvent {
  /** An EventType, or -1 where the event has none. */
  type = -1;
  /** The function called, without its colon; '' where there is none. */
  f = '';
  /** The session of the process, or one of the next two constants. */
  session: number = NO_PROCESS;
  /** Name of a process that is no client, such as `nemesis`. */
  processName = '';
  readonly time = new EventNumber();
  readonly index = new EventNumber();
  /** Whether an error is stated, be it nil. */
  hasError = false;
  value: ValueShape = 'none';
  /** The micro-operations of a `transaction`. */
  readonly microOps = new MicroOps();
  /** The value of a `datum`. */
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

/** The event states no process. */
export const NO_PROCESS = -1;
/** The process is not a number: a nemesis, or another process that is no client. */
export const NO_CLIENT = -2;

export const EventType = { Invoke: 0, Ok: 1, Fail: 2, Info: 3 } as const;
export const EVENT_TYPES: readonly string[] = ['invoke', 'ok', 'fail', 'info'];

/** `transaction`: a sequence of sequences; `datum`: anything else, also the empty sequence. */
export type ValueShape = 'none' | 'transaction' | 'datum';

/** An atom or a sequence; maps are opaque, since none of the models that we read needs to look into one. */
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

/** Kind of a micro-operation. The comment describes its value. */
export const MicroKind = {
  /** A read whose result is nil: not known yet, or nothing there. */
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

/** The micro-operations of one transaction, in columns that are reused. */
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

  /** Returns whether these are the others, results of reads apart. */
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
