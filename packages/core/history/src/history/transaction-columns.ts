import type { Arrange } from '../columns/arrange.ts';
import type { Atoms } from '../columns/atoms.ts';
import { type Growth, grown } from '../columns/columns.ts';
import { NameColumn } from '../columns/name-column.ts';
import type { History, StatedLevels } from './history.ts';
import { LevelColumn } from './level-column.ts';
import { TimeColumns, type TimePart } from './time-columns.ts';

/** Columns of transactions in file order, from another part of the file. */
export interface TransactionPart {
  readonly count: number;
  readonly session: Int32Array;
  readonly status: Uint8Array;
  readonly position: Float64Array;
  readonly times: TimePart;
  readonly names: Atoms | null;
  readonly levels: StatedLevels | null;
}

/** Columns of transactions, in the order in which they began. */
export class TransactionColumns {
  count = 0;
  session = new Int32Array(INITIAL_CAPACITY);
  status = new Uint8Array(INITIAL_CAPACITY);
  position = new Float64Array(INITIAL_CAPACITY);
  readonly times = new TimeColumns();
  readonly levels = new LevelColumn();
  #names: NameColumn | null = null;
  readonly #growth: Growth;

  constructor(growth: Growth) {
    this.#growth = growth;
  }

  get names(): NameColumn {
    return (this.#names ??= new NameColumn());
  }

  /** Adds a transaction and returns its number. */
  add(session: number, position: number): number {
    const t = this.count++;
    if (t === this.status.length) this.#grow(this.#growth(t));
    this.session[t] = session;
    this.position[t] = position;
    return t;
  }

  part(): TransactionPart {
    const { count } = this;
    return {
      count,
      session: this.session.subarray(0, count),
      status: this.status.subarray(0, count),
      position: this.position.subarray(0, count),
      times: this.times.part(count),
      names: this.#names?.finish(count, (column) => column.subarray(0, count) as typeof column) ?? null,
      levels: this.levels.finish(count, (column) => column.subarray(0, count) as typeof column),
    };
  }

  /** Adds the transactions of another part, with the ids of its sessions here and the shift of its positions. */
  append(part: TransactionPart, ids: Int32Array, shift: number): void {
    const { count, session, status, position, times, names, levels } = part;
    const first = this.count;
    this.count += count;
    if (this.count > this.status.length) this.#grow(Math.max(this.count, this.#growth(first)));
    this.status.set(status, first);
    for (let t = 0; t < count; t++) {
      this.session[first + t] = ids[session[t]!]!;
      this.position[first + t] = position[t]! + shift;
    }
    this.times.append(times, first, this.status.length);
    if (names !== null) this.names.append(names, first);
    if (levels !== null) this.levels.append(levels, first);
  }

  arranged(arrange: Arrange, drift: number) {
    return {
      txnSession: arrange(this.session),
      txnStatus: arrange(this.status),
      txnPosition: arrange(this.position),
      txnNames: this.#names?.finish(this.count, arrange) ?? null,
      txnLevels: this.levels.finish(this.count, arrange),
      ...this.times.arranged(arrange, BigInt(drift)),
    } satisfies Partial<History>;
  }

  #grow(capacity: number): void {
    this.session = grown(this.session, new Int32Array(capacity));
    this.status = grown(this.status, new Uint8Array(capacity));
    this.position = grown(this.position, new Float64Array(capacity));
    this.times.grow(capacity);
  }
}

const INITIAL_CAPACITY = 64;
