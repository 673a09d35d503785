import {
  type History,
  HistoryBuilder,
  Interner,
  NIL,
  OpKind,
  TxnStatus,
  UNKNOWN_VALUE,
  joinInteger,
} from '@isolab/history';
import { BOUNDARY_BYTES, FENCE_KEY, Letter, Special, recordSizes } from './cobra-records.ts';
import { unexpected } from '../files/errors.ts';
import type { ByteStream } from '../files/input.ts';
import { readLineWindows } from '../files/windows.ts';

const Identity = { Undecided: 0, WriteId: 1, Value: 2 } as const;
type IdentityMode = (typeof Identity)[keyof typeof Identity];

/**
 * Reads the logs of a history one after the other: {@link beginFile}, {@link readRecords} for each window, {@link
 * endFile}.
 */
export class CobraReader {
  readonly #directory: string;
  readonly #builder: HistoryBuilder;
  readonly #txnIds = new Interner(); // the number of an id is the number of its transaction
  readonly #startOf: number[] = []; // byte at which each transaction starts
  readonly #fileOf: string[] = []; // file of each transaction
  #identity: IdentityMode = Identity.Undecided;
  #sizes: Uint8Array | null = null; // sizes of records, once it is known whether there are timestamps
  #stamped = false;

  #file = '';
  #session = 0;
  #open = -1; // the open transaction
  #openHi = 0; // high and low half of the open transaction's id
  #openLo = 0;
  #shift = 0; // byte of the file = index in the window + #shift

  // Counts for `stats`.
  #initialReads = 0;
  #nilReads = 0;
  #deletedReads = 0;
  #missingReads = 0;
  #collectorReads = 0;
  #deletes = 0;
  #fenceTransactions = 0;
  #latestFence = -1;

  constructor(directory: string) {
    this.#directory = directory;
    this.#builder = new HistoryBuilder({ format: 'cobra-log', file: directory, unit: 'byte' });
  }

  beginFile({ name, head }: ByteStream, session: bigint): void {
    this.#session = this.#builder.session(session);
    this.#builder.sessionFile(this.#session, name);
    this.#file = name;
    this.#shift = 0;
    if (this.#sizes === null && head.length > 0) {
      this.#stamped = hasTimestamps(head);
      this.#sizes = recordSizes(this.#stamped);
      if (this.#stamped) this.#builder.timeUnit = 'nanoseconds';
    }
  }

  readRecords(bytes: Uint8Array, start: number, end: number, last: boolean): number {
    const builder = this.#builder;
    const { keys } = builder;
    const sizes = this.#sizes!;
    const view = new DataView(bytes.buffer, bytes.byteOffset, end);
    const shift = (this.#shift -= start);
    let at = start;
    while (at < end) {
      const letter = bytes[at];
      const size = sizes[letter];
      if (at + size > end) {
        if (!last) break;
        this.#fail(at, `the end after ${end - at} bytes`, `a record of ${size} bytes`);
      }
      if (letter === Letter.Read || letter === Letter.Write) {
        if (this.#open < 0) this.#fail(at, 'an operation outside of a transaction', 'a start (S) before it');
        const isRead = letter === Letter.Read;
        const id = isRead ? at + 9 : at + 1;
        const keyHi = view.getInt32(id + 8);
        const keyLo = view.getInt32(id + 12);
        if (keyLo === FENCE_KEY.lo && keyHi === FENCE_KEY.hi) this.#countFence();
        const key = keys.integer(keyHi, keyLo);
        builder.op(
          isRead ? OpKind.Read : OpKind.Write,
          key,
          isRead ? this.#valueRead(view, at) : this.#valueWritten(view, at),
        );
        builder.opAt(at + shift - this.#startOf[this.#open]);
      } else if (letter === Letter.Start) this.#start(view, at);
      else if (letter === Letter.Commit) this.#end(view, at, TxnStatus.Committed);
      else if (letter === Letter.Abort) this.#end(view, at, TxnStatus.Aborted);
      else
        this.#fail(at, `the byte 0x${letter.toString(16).padStart(2, '0')}`, 'the letter of a record: S, C, A, W or R');
      at += size;
    }
    this.#shift += at;
    return at;
  }

  #valueWritten(view: DataView, at: number): number {
    const { values } = this.#builder;
    const hi = view.getInt32(at + 1);
    const lo = view.getInt32(at + 5);
    if (hi === 0) {
      if (lo === Special.Deleted) {
        this.#deletes++;
        return NIL;
      }
      if (lo === Special.Universal) {
        if (this.#identity !== Identity.Value) this.#identifyBy(Identity.Value, at);
        return values.integer(view.getInt32(at + 17), view.getInt32(at + 21));
      }
      if (lo === Special.Initial || lo === Special.Null || lo === Special.Missing) {
        this.#fail(at, `a write with the id 0x${(lo >>> 0).toString(16)}, which marks reads`, "the write's own id");
      }
    }
    if (this.#identity !== Identity.WriteId) this.#identifyBy(Identity.WriteId, at, hi);
    return values.integer(hi, lo);
  }

  #valueRead(view: DataView, at: number): number {
    const { values } = this.#builder;
    const writerHi = view.getInt32(at + 1);
    const writerLo = view.getInt32(at + 5);
    const hi = view.getInt32(at + 9);
    const lo = view.getInt32(at + 13);
    const nobody = writerHi === 0 && (writerLo === Special.Initial || writerLo === Special.Null);
    if (hi === 0) {
      switch (lo) {
        case Special.Initial:
        case Special.Null:
          if (!nobody) this.#failMarkers(view, at);
          if (lo === Special.Initial) this.#initialReads++;
          else this.#nilReads++;
          return NIL;
        case Special.Deleted:
          this.#deletedReads++;
          return NIL;
        case Special.Missing:
          this.#missingReads++;
          return UNKNOWN_VALUE;
        case Special.CollectorTrue:
        case Special.CollectorFalse:
          if (!nobody) break;
          this.#collectorReads++;
          return NIL;
        case Special.Universal:
          if (this.#identity !== Identity.Value) this.#identifyBy(Identity.Value, at);
          return values.integer(view.getInt32(at + 25), view.getInt32(at + 29));
      }
    }
    if (nobody) this.#failMarkers(view, at);
    if (this.#identity !== Identity.WriteId) this.#identifyBy(Identity.WriteId, at, hi);
    return values.integer(hi, lo);
  }

  #identifyBy(identity: IdentityMode, at: number, hi = 0): void {
    if (this.#identity === Identity.Undecided) {
      this.#identity = identity;
      // Each client counts its ids up from (client << 32).
      if (identity === Identity.WriteId) this.#builder.values.expectUpperHalf(hi);
    } else if (identity === Identity.Value) {
      this.#fail(at, 'the universal write id', "a write's own id, as in the earlier records");
    } else this.#fail(at, "a write's own id", 'the universal write id (0xabddefee), as in the earlier records');
  }

  #start(view: DataView, at: number): void {
    const hi = view.getInt32(at + 1);
    const lo = view.getInt32(at + 5);
    if (this.#open >= 0)
      this.#fail(at, `the start of transaction ${joinInteger(hi, lo)}`, `the end (C or A) of ${this.#openName()}`);
    if (this.#txnIds.size === 0) this.#txnIds.expectUpperHalf(hi);
    const t = this.#txnIds.integer(hi, lo);
    if (t < this.#startOf.length) {
      const first = `byte ${this.#startOf[t]} of ${this.#fileOf[t]}`;
      this.#fail(
        at,
        `transaction ${joinInteger(hi, lo)} for the second time`,
        `a number that differs from the one at ${first}`,
      );
    }
    this.#open = this.#builder.begin(this.#session, at + this.#shift);
    this.#openHi = hi;
    this.#openLo = lo;
    this.#fileOf.push(this.#file);
    this.#startOf.push(at + this.#shift);
    this.#builder.nameInteger(t, hi, lo);
    if (this.#stamped) this.#builder.time(t, 'begin', this.#timestamp(view, at));
  }

  #end(view: DataView, at: number, status: number): void {
    const hi = view.getInt32(at + 1);
    const lo = view.getInt32(at + 5);
    if (this.#open < 0) this.#fail(at, `the end of transaction ${joinInteger(hi, lo)}`, 'its start (S) before it');
    if (hi !== this.#openHi || lo !== this.#openLo) {
      this.#fail(at, `the end of transaction ${joinInteger(hi, lo)}`, `that of ${this.#openName()}`);
    }
    this.#builder.outcome(this.#open, status);
    if (this.#stamped && status === TxnStatus.Committed)
      this.#builder.time(this.#open, 'end', this.#timestamp(view, at));
    this.#open = -1;
  }

  /** The client's clock in milliseconds since 1970. The range keeps letters from looking like timestamps. */
  #timestamp(view: DataView, at: number): bigint {
    const milliseconds = view.getBigInt64(at + BOUNDARY_BYTES);
    if (milliseconds < 0n || milliseconds > LATEST_MILLISECOND) {
      this.#fail(
        at + BOUNDARY_BYTES,
        `the timestamp ${milliseconds}`,
        `milliseconds between 0 and ${LATEST_MILLISECOND}`,
      );
    }
    return milliseconds * 1_000_000n;
  }

  #countFence(): void {
    if (this.#latestFence === this.#open) return;
    this.#latestFence = this.#open;
    this.#fenceTransactions++;
  }

  endFile(): void {
    if (this.#open >= 0) this.#builder.outcome(this.#open, TxnStatus.Unknown);
    this.#open = -1;
  }

  async countAborts(debug: ByteStream): Promise<void> {
    let aborts = 0;
    await readLineWindows(debug, (bytes, start, end) => {
      const lines = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
      for (let at = lines.indexOf(ABORT_LINE); at >= 0; at = lines.indexOf(ABORT_LINE, at + 1)) aborts++;
    });
    this.#builder.note('abortedSeenInDebugFiles', aborts);
  }

  finish(): History {
    if (this.#builder.transactions === 0) {
      throw unexpected(this.#directory, null, 'only empty logs', 'the records of at least one transaction');
    }
    const builder = this.#builder;
    builder.note('initReads', this.#initialReads);
    builder.note('nilReads', this.#nilReads);
    builder.note('readsOfDeletedKeys', this.#deletedReads);
    builder.note('readsOfMissingWrites', this.#missingReads);
    builder.note('garbageCollectorReads', this.#collectorReads);
    builder.note('deletes', this.#deletes);
    builder.note('fenceTransactions', this.#fenceTransactions);
    return builder.finish();
  }

  #openName(): string {
    return `transaction ${joinInteger(this.#openHi, this.#openLo)}`;
  }

  #failMarkers(view: DataView, at: number): never {
    const names = `a read of write ${unsigned(view, at + 9)} of transaction ${unsigned(view, at + 1)}`;
    this.#fail(at, names, 'markers (0xbebeebee or 0xdeadbeef) in both fields or in neither field');
  }

  #fail(at: number, found: string, expected: string): never {
    throw unexpected(this.#file, `byte ${at + this.#shift}`, found, expected);
  }
}

const unsigned = (view: DataView, at: number): string => `0x${view.getBigUint64(at).toString(16)}`;

/**
 * Returns whether records S and C have timestamps, by trying to read the following records with them. A record never
 * begins with a zero byte.
 */
function hasTimestamps(head: Uint8Array): boolean {
  const plain = recordSizes(false);
  const stamped = recordSizes(true);
  return (
    readableBytes(head, (at) => (head[at + BOUNDARY_BYTES] === 0 ? stamped : plain)[head[at]]) >
    readableBytes(head, (at) => plain[head[at]])
  );
}

function readableBytes(head: Uint8Array, sizeAt: (at: number) => number): number {
  let at = 0;
  while (at < head.length && sizeAt(at) > 0) at += sizeAt(at);
  return Math.min(at, head.length);
}

const ABORT_LINE = '] abort\n'; // end of a line such as "[DEBUG] Txn[1000003f5] abort"
const LATEST_MILLISECOND = 2n ** 63n / 1_000_000n - 1n;
