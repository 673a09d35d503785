import {
  type Aggregate,
  type History,
  HistoryBuilder,
  NIL,
  OPEN_BOUND,
  OpKind,
  type Predicate,
  type Row,
  type Scalar,
  TxnStatus,
  UNKNOWN_VALUE,
  rowName,
  textOfRow,
} from '@isolab/history';
import type { Key } from '../workload/workload.ts';
import type { Clocks } from './clocks.ts';
import type { Timestamps } from './engine.ts';

export type RecordedOutcome = 'committed' | 'aborted' | 'unknown';

const STATUS = { committed: TxnStatus.Committed, aborted: TxnStatus.Aborted, unknown: TxnStatus.Unknown } as const;

/**
 * Operations of one attempt, kept until its outcome is known, so that the operations of a transaction are contiguous.
 */
interface Pending {
  readonly begin: bigint;
  begun: bigint | null;
  readonly add: (() => void)[];
  readonly kind: number[];
  readonly key: number[];
  readonly value: number[];
}

/** Recorded data besides operations and outcomes. */
export interface Recorded {
  readonly times: boolean;
  /** Clocks of the clients. If absent, all clients use the time of the database, without any delay. */
  readonly clocks?: Clocks;
  readonly timestamps: boolean;
  /** Whether to record aborted attempts, which the logs of most papers omit. */
  readonly aborted: boolean;
}

export class Recorder {
  readonly #builder: HistoryBuilder;
  readonly #initial: number;
  readonly #recorded: Recorded;
  readonly #pending: Pending[] = [];
  readonly #counters = new Set<number>();
  readonly #sessions: number[] = []; // by client
  readonly #processes: number[] = [];
  /**
   * Time at which the database received the last request of each client, and the client's clock when it sent the
   * request.
   */
  readonly #taken: number[] = [];
  readonly #asked: bigint[] = [];
  /** Meaning of the time of the next answer, for each client; a number is the transaction that the answer ends. */
  readonly #awaits: ('begun' | number | undefined)[] = [];
  #count = 0;

  constructor(name: string, database: string, initial: 'zero' | 'nil', recorded: Recorded) {
    this.#recorded = recorded;
    this.#builder = new HistoryBuilder({
      format: 'simulated',
      file: name,
      unit: 'record',
      database,
      initial: initial === 'zero' ? 0n : null,
    });
    if (recorded.times) this.#builder.timeUnit = 'events';
    this.#builder.drift = recorded.clocks?.drift ?? 0;
    this.#initial = initial === 'zero' ? this.#builder.values.integer(0, 0) : NIL;
  }

  key(key: Key): number {
    return typeof key === 'number' ? this.#builder.keys.integer(0, key) : this.#builder.keys.atom(key);
  }

  counter(key: Key): number {
    const counter = this.key(key);
    this.#counters.add(counter);
    return counter;
  }

  isCounter(key: number): boolean {
    return this.#counters.has(key);
  }

  /** Returns a list with more elements, or the value of a counter after more increments. */
  readonly extend = (key: number, list: number, elements: readonly number[]): number => {
    if (this.isCounter(key)) return elements.reduce((sum, amount) => sum + amount, list);
    let node = list;
    for (const element of elements) node = this.#builder.lists.extend(key, node, this.#integer(element));
    return node;
  };

  /** Records that a client has received its last answer and sends a request that the database receives at this time. */
  asks(client: number, time: number): void {
    const { clocks } = this.#recorded;
    const before = this.#taken[client];
    const answered = before === undefined ? null : (clocks?.answered(client, before, time) ?? BigInt(before));
    if (answered !== null) this.#hears(client, answered);
    this.#asked[client] = clocks?.asked(client, time) ?? BigInt(time);
    this.#taken[client] = time;
  }

  #hears(client: number, time: bigint): void {
    const awaits = this.#awaits[client];
    this.#awaits[client] = undefined;
    if (awaits === 'begun') this.#pending[client]!.begun ??= time;
    else if (awaits !== undefined && this.#recorded.times) this.#builder.time(awaits, 'end', time);
  }

  /** Begins a transaction with the request that was just sent. */
  begin(client: number): void {
    this.#sessions[client] ??= this.#builder.session(BigInt(client));
    this.#pending[client] = { begin: this.#asked[client]!, begun: null, add: [], kind: [], key: [], value: [] };
  }

  /** Records the answer to an operation, which shows that the transaction has begun. */
  answers(client: number): void {
    this.#awaits[client] = 'begun';
  }

  /** Records a read, write or append of a value; 0 is the initial state. */
  operation(client: number, kind: number, key: number, value: number): void {
    this.#put(client, kind, key, value === 0 ? this.#initial : this.#integer(value));
  }

  /** Returns the id of a value, which may be the sum of a counter beyond 2^32. */
  #integer(value: number): number {
    return this.#builder.values.integer(Math.floor(value / 2 ** 32), value | 0);
  }

  increment(client: number, key: Key, amount: number): void {
    this.#other(client, () => this.#builder.increment(typeof key === 'number' ? BigInt(key) : key, BigInt(amount)));
  }

  listRead(client: number, key: number, list: number): void {
    this.#put(client, OpKind.ListRead, key, list);
  }

  exchange(client: number, kind: number, key: number, observed: number, written: number, flags: number): void {
    const builder = this.#builder;
    const id = (value: number): number => (value === 0 ? this.#initial : this.#integer(value));
    this.#other(client, () => builder.exchange(kind, key, id(observed), id(written), flags));
  }

  range(
    client: number,
    low: number,
    high: number,
    rows: readonly { key: number; value: number; dead: boolean }[],
  ): void {
    const builder = this.#builder;
    const bound = (key: number): number => (key < 0 ? OPEN_BOUND : this.key(key));
    this.#other(client, () => {
      builder.range(bound(low), bound(high));
      for (const { key, value, dead } of rows) builder.row(key, this.#integer(value), dead);
    });
  }

  rowKey(table: string, id: number): number {
    this.#builder.scans.table(table);
    return this.#builder.keys.string(rowName(table, BigInt(id)));
  }

  /** Records a read of a row; null if the row is absent. */
  rowRead(client: number, key: number, row: Row | null): void {
    this.#put(client, OpKind.Read, key, this.#version(row));
  }

  rowWrite(client: number, key: number, row: Row | null): void {
    this.#put(client, OpKind.Write, key, this.#version(row));
  }

  scan(client: number, table: string, where: Predicate, found: readonly { key: number; row: Row }[]): void {
    const builder = this.#builder;
    this.#other(client, () => {
      builder.scan(builder.scans.table(table), where);
      for (const { key, row } of found) builder.scanned(key, this.#version(row));
    });
  }

  /** Records only that this row matches. */
  matched(client: number, table: string, where: Predicate, key: number): void {
    const builder = this.#builder;
    this.#other(client, () => {
      builder.scan(builder.scans.table(table), where);
      builder.scanned(key, UNKNOWN_VALUE);
    });
  }

  aggregate(
    client: number,
    table: string,
    where: Predicate,
    kind: Aggregate['kind'],
    column: string | null,
    result: Scalar,
  ): void {
    const builder = this.#builder;
    const of = (kind === 'count' ? { kind, result } : { kind, column, result }) as Aggregate;
    this.#other(client, () => builder.scan(builder.scans.table(table), where, of));
  }

  #version(row: Row | null): number {
    return row === null ? NIL : this.#builder.values.string(textOfRow(row));
  }

  /**
   * Ends the attempt with the request that was just sent: COMMIT, unless the client gave up. After an unknown outcome
   * the client continues as another session.
   */
  end(client: number, outcome: RecordedOutcome, gaveUp: boolean, stated: Timestamps | null = null): void {
    this.#awaits[client] = undefined;
    if (outcome === 'aborted' && !this.#recorded.aborted) return;
    const builder = this.#builder;
    const { begin, begun, add, kind, key, value } = this.#pending[client]!;
    const t = builder.begin(this.#sessions[client]!, this.#count++);
    builder.outcome(t, STATUS[outcome]);
    if (this.#recorded.times) {
      builder.time(t, 'begin', begin);
      if (begun !== null) builder.time(t, 'begun', begun);
      if (!gaveUp) builder.time(t, 'committing', this.#asked[client]!);
    }
    if (outcome !== 'unknown') this.#awaits[client] = t;
    if (this.#recorded.timestamps && stated !== null) {
      builder.time(t, 'startTs', BigInt(stated.start));
      builder.time(t, 'commitTs', BigInt(stated.commit));
    }
    for (let i = 0; i < kind.length; i++) {
      if (kind[i] === OTHER) add[value[i]!]!();
      else builder.op(kind[i]!, key[i]!, value[i]!);
    }
    if (outcome !== 'unknown') return;
    const process = (this.#processes[client] ?? 0) + 1;
    this.#processes[client] = process;
    this.#sessions[client] = builder.session(`${client}+${process}`);
  }

  finish(): History {
    for (const [client, time] of this.#taken.entries())
      if (time !== undefined)
        this.#hears(client, this.#recorded.clocks?.answered(client, time, Infinity) ?? BigInt(time));
    return this.#builder.finish();
  }

  #put(client: number, kind: number, key: number, value: number): void {
    const pending = this.#pending[client]!;
    pending.kind.push(kind);
    pending.key.push(key);
    pending.value.push(value);
  }

  #other(client: number, add: () => void): void {
    this.#put(client, OTHER, 0, this.#pending[client]!.add.push(add) - 1);
  }
}

const OTHER = -1;
