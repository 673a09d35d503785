import { Bytes } from './bytes.ts';
import {
  Capability,
  type ClientFacts,
  type Column,
  Command,
  Head,
  MariadbCapability,
  type Ok,
  type ServerError,
  Status,
  columnOf,
  eofOf,
  errorOf,
  okOf,
} from './protocol.ts';
import { type Parameter, binaryValue, parametersOf } from './values.ts';

/** A command of a client that the server answers. */
export interface Exchange {
  readonly command: number;
  /** The query string, once it is known; null for commands without one. */
  sql: string | null;
  parameters: readonly Parameter[] | null;
  readonly sent: bigint;
}

export interface Result {
  readonly columns: readonly Column[];
  /** The rows as text; undefined stands for a value whose text is not known. */
  readonly rows: readonly (readonly (string | null | undefined)[])[];
  /** States that `rows` are all rows of the result. */
  readonly isWhole: boolean;
  readonly ok: Ok | null;
  readonly error: ServerError | null;
}

/** Receives the statements of a connection, with their results. */
export interface Listener {
  sends(exchange: Exchange): void;
  /** Called for each result of a command. */
  answers(exchange: Exchange, result: Result): void;
  /** Called when a command needs no further answer, also for commands without results such as PREPARE. */
  completes(exchange: Exchange): void;
  /** Returns whether the rows of the next result are wanted. */
  wantsRows(exchange: Exchange): boolean;
}

interface Prepared {
  readonly sql: string;
  readonly parameters: number;
  columns: readonly Column[];
  /** Types of the parameters in the last execution. */
  readonly types: number[];
  hasLongData: boolean;
}

type Waiting = Exchange & { readonly payload: Buffer; prepared?: Prepared | undefined };

/** Reads one packet of an answer. */
type Reading = (payload: Buffer) => Reading | null;

const MOST_ROWS = 20_000;
const LAST_PREPARED = 0xff_ff_ff_ff;

/** The commands and answers of a connection after its greeting. */
export class Dialogue {
  readonly #facts: ClientFacts;
  readonly #listener: Listener;
  readonly #now: () => bigint;
  readonly #queue: Waiting[] = [];
  readonly #prepared = new Map<number, Prepared>();
  #last: Prepared | undefined;
  #reading: Reading | null = null;
  #uploads = false;
  /** The command whose answer is being read. */
  #current: Waiting | null = null;

  constructor(facts: ClientFacts, listener: Listener, now: () => bigint) {
    this.#facts = facts;
    this.#listener = listener;
    this.#now = now;
  }

  /** Number of commands without complete answers. */
  get pending(): number {
    return this.#queue.length;
  }

  /** States that the session may begin again with the next answer. */
  get isResetting(): boolean {
    return this.#queue.some(({ command }) => command === Command.resetConnection || command === Command.changeUser);
  }

  /** Reads a packet of the client. Returns a command that ends the recording of the connection, as a reason. */
  sends(payload: Buffer): string | null {
    if (this.#uploads) {
      if (payload.length === 0) this.#uploads = false;
      return null;
    }
    if (this.#current?.command === Command.changeUser) return null; // a packet of the authentication
    const command = payload[0] ?? 0;
    switch (command) {
      case Command.binlogDump:
      case Command.tableDump:
      case Command.registerSlave:
        return 'it replicates';
      case Command.quit:
        return null;
      case Command.close:
        this.#prepared.delete(payload.readUInt32LE(1));
        return null;
      case Command.longData: {
        const prepared = this.#preparedAs(payload.readUInt32LE(1));
        if (prepared) prepared.hasLongData = true;
        return null;
      }
    }
    const hasText = command === Command.query || command === Command.prepare || command === Command.initDb;
    const sql = hasText ? this.#textOf(payload) : null;
    const exchange: Waiting = { command, sql, parameters: null, sent: this.#now(), payload };
    if (command === Command.execute || command === Command.bulkExecute) this.#execution(exchange);
    this.#queue.push(exchange);
    this.#listener.sends(exchange);
    return null;
  }

  /** Returns the statement that a packet of the client executes; null for other packets. */
  statementIn(payload: Buffer): string | null {
    if (payload[0] === Command.query) return this.#textOf(payload);
    if (payload[0] !== Command.execute || payload.length < 5) return null;
    return this.#preparedAs(payload.readUInt32LE(1))?.sql ?? null;
  }

  #textOf(payload: Buffer): string {
    const bytes = new Bytes(payload, 1);
    if (payload[0] === Command.query && this.#facts.capabilities & Capability.queryAttributes) {
      const count = bytes.length() ?? 0;
      bytes.length();
      parametersOf(bytes, count, [], true);
    }
    return bytes.rest().toString();
  }

  /** Finds the text and the parameters of a prepared statement; the answer to PREPARE may still be on its way. */
  #execution(exchange: Waiting, isAnswered = false): void {
    const bytes = new Bytes(exchange.payload, 1);
    const prepared = this.#preparedAs(bytes.number(4), isAnswered);
    if (!prepared) return;
    exchange.sql = prepared.sql;
    exchange.prepared = prepared;
    if (exchange.command !== Command.execute || prepared.hasLongData) {
      prepared.hasLongData = false;
      return;
    }
    bytes.take(5);
    const isNamed = (this.#facts.capabilities & Capability.queryAttributes) !== 0;
    const count = isNamed && exchange.payload[5]! & 8 ? (bytes.length() ?? 0) : prepared.parameters;
    exchange.parameters = parametersOf(bytes, count, prepared.types, isNamed).slice(0, prepared.parameters);
  }

  /** Finds a prepared statement. A client may execute the last one before its preparation is answered. */
  #preparedAs(id: number, isAnswered = false): Prepared | undefined {
    if (id !== LAST_PREPARED) return this.#prepared.get(id);
    const isPending = !isAnswered && this.#queue.some(({ command }) => command === Command.prepare);
    return isPending ? undefined : this.#last;
  }

  /** Reads a packet of the server. Returns the command that it completes. */
  answers(payload: Buffer): Exchange | null {
    const [current] = this.#queue;
    if (!current) throw new RangeError('an answer without a command');
    if (this.#current !== current) {
      this.#current = current;
      if (current.sql === null && (current.command === Command.execute || current.command === Command.bulkExecute))
        this.#execution(current, true);
      this.#reading = this.#firstOf(current);
    }
    if (isProgress(payload)) return null;
    this.#reading = this.#reading!(payload);
    if (this.#reading) return null;
    this.#queue.shift();
    this.#current = null;
    this.#listener.completes(current);
    return current;
  }

  #firstOf(current: Waiting): Reading {
    switch (current.command) {
      case Command.query:
      case Command.execute:
      case Command.bulkExecute:
      case Command.processInfo:
      case Command.fetch:
        return this.#resultOf(current);
      case Command.prepare:
        return this.#preparation(current);
      case Command.fieldList:
        return untilEnd;
      case Command.changeUser:
        return authentication;
      default:
        return (payload) => {
          if (current.command === Command.statistics || payload[0] === Head.error) return null;
          this.#ends(current, { ...EMPTY, ok: payload[0] === Head.eof ? eofOf(payload) : okOf(payload, this.#facts) });
          return null;
        };
    }
  }

  #ends(current: Waiting, result: Result): Reading | null {
    const hasMore = ((result.ok?.status ?? 0) & Status.moreResults) !== 0;
    this.#listener.answers(current, result);
    return hasMore ? this.#resultOf(current) : null;
  }

  #resultOf(current: Waiting): Reading {
    if (current.command === Command.fetch) return this.#rowsOf(current, null);
    return (payload) => {
      if (payload[0] === Head.ok) return this.#ends(current, { ...EMPTY, ok: okOf(payload, this.#facts) });
      if (payload[0] === Head.error) return this.#ends(current, { ...EMPTY, error: errorOf(payload) });
      if (payload[0] === Head.eof) return this.#ends(current, { ...EMPTY, ok: eofOf(payload) });
      if (payload[0] === Head.infile) {
        this.#uploads = true;
        return this.#resultOf(current);
      }
      const bytes = new Bytes(payload);
      const count = bytes.length() ?? 0;
      const { capabilities, mariadb } = this.#facts;
      const isOptional = mariadb & MariadbCapability.cachedMetadata || capabilities & Capability.optionalMetadata;
      if (isOptional && bytes.left > 0 && bytes.number(1) === 0)
        return this.#afterColumns(current, current.prepared?.columns ?? []);
      return this.#columnsOf(count, (columns) => {
        if (current.prepared) current.prepared.columns = columns;
        return this.#afterColumns(current, columns);
      });
    };
  }

  /** Reads column definitions and then, where the client knows EOF packets, one of them. */
  #columnsOf(count: number, then: (columns: readonly Column[]) => Reading | null): Reading | null {
    const columns: Column[] = [];
    if (count === 0) return then(columns);
    const next: Reading = (payload) => {
      columns.push(columnOf(payload, this.#facts));
      return columns.length < count ? next : then(columns);
    };
    return next;
  }

  #afterColumns(current: Waiting, columns: readonly Column[]): Reading {
    if (this.#facts.capabilities & Capability.withoutEof) return this.#rowsOf(current, columns);
    return (payload) => {
      const ok = eofOf(payload);
      // The rows of a cursor are fetched by later commands.
      if (ok.status & Status.cursor) return this.#ends(current, { ...EMPTY, columns, isWhole: false, ok });
      return this.#rowsOf(current, columns);
    };
  }

  #rowsOf(current: Waiting, columns: readonly Column[] | null): Reading {
    const rows: (string | null | undefined)[][] = [];
    let isWhole = columns !== null;
    const isWanted = columns !== null && this.#listener.wantsRows(current);
    const isBinary = current.command === Command.execute || current.command === Command.bulkExecute;
    const next: Reading = (payload) => {
      const [head] = payload;
      if (head === Head.error) return this.#ends(current, { ...EMPTY, error: errorOf(payload) });
      if (head === Head.eof && (payload.length < 9 || this.#isOkAtEnd(payload))) {
        const isEof = (this.#facts.capabilities & Capability.withoutEof) === 0;
        const ok = isEof ? eofOf(payload) : okOf(payload, this.#facts);
        const isCursor = (ok.status & Status.cursor) !== 0;
        return this.#ends(current, { columns: columns ?? [], rows, isWhole: isWhole && !isCursor, ok, error: null });
      }
      if (!isWanted || columns === null) return next;
      const row = isWhole && rows.length < MOST_ROWS ? rowOf(payload, columns, isBinary) : null;
      if (row) rows.push(row);
      else isWhole = false;
      return next;
    };
    return next;
  }

  #isOkAtEnd(payload: Buffer): boolean {
    return (this.#facts.capabilities & Capability.withoutEof) !== 0 && payload.length < 0xff_ff_ff;
  }

  #preparation(current: Waiting): Reading {
    return (payload) => {
      if (payload[0] === Head.error) return null;
      const bytes = new Bytes(payload, 1);
      const id = bytes.number(4);
      const [columns, parameters] = [bytes.number(2), bytes.number(2)];
      const prepared: Prepared = { sql: current.sql ?? '', parameters, columns: [], types: [], hasLongData: false };
      this.#prepared.set(id, prepared);
      this.#last = prepared;
      const hasEof = (this.#facts.capabilities & Capability.withoutEof) === 0;
      const afterParameters = (): Reading | null =>
        this.#columnsOf(columns, (described) => {
          prepared.columns = described;
          return hasEof && columns > 0 ? () => null : null;
        });
      if (parameters === 0) return afterParameters();
      let left = parameters + (hasEof ? 1 : 0);
      const next: Reading = () => (--left > 0 ? next : afterParameters());
      return next;
    };
  }
}

const EMPTY: Result = { columns: [], rows: [], isWhole: true, ok: null, error: null };

/** Returns whether a packet is a report of progress, which MariaDB sends as an error with a reserved number. */
const isProgress = (payload: Buffer): boolean =>
  payload[0] === Head.error && payload.length > 3 && payload.readUInt16LE(1) === 0xff_ff;

const untilEnd: Reading = (payload) =>
  payload[0] === Head.error || (payload[0] === Head.eof && payload.length < 9) ? null : untilEnd;

const authentication: Reading = (payload) =>
  payload[0] === Head.ok || payload[0] === Head.error ? null : authentication;

const UNSIGNED = 32;

/** Reads a row; null if the packet was kept only in part. */
function rowOf(payload: Buffer, columns: readonly Column[], isBinary: boolean): (string | null | undefined)[] | null {
  try {
    if (!isBinary) {
      const bytes = new Bytes(payload);
      return columns.map(() => bytes.counted()?.toString() ?? null);
    }
    const bytes = new Bytes(payload, 1);
    const nulls = bytes.take((columns.length + 9) >> 3);
    return columns.map(({ type, flags, decimals }, i) => {
      const isNull = (nulls[(i + 2) >> 3]! >> ((i + 2) & 7)) & 1;
      return isNull ? null : binaryValue(bytes, type, (flags & UNSIGNED) !== 0, decimals);
    });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
