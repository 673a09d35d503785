/** Messages of the PostgreSQL protocol as bytes, and the answers to them. They need one write to the socket. */
import type pg from 'pg';

/** Returns a message: its type, its length and its content. */
function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(4 + content.length, 1);
  return Buffer.concat([head, content]);
}

const terminated = (text: string): Buffer => Buffer.from(`${text}\0`);
const zeros = (bytes: number): Buffer => Buffer.alloc(bytes);
/** A statement has no name, unless it stays prepared, and states no types of its parameters. */
const parse = (text: string, name = ''): Buffer => message('P', terminated(name), terminated(text), zeros(2));

const DESCRIBE = message('D', terminated('P'));
const EXECUTE = message('E', zeros(5));
const SYNC = message('S');
const END = Buffer.concat([EXECUTE, SYNC]);
const DESCRIBED_END = Buffer.concat([DESCRIBE, END]);

export const simpleQuery = (text: string): Buffer => message('Q', terminated(text));

/** Returns messages that run a statement without parameters, before the messages of another statement. */
export const unsynced = (text: string): Buffer => Buffer.concat([parse(text), message('B', zeros(8)), EXECUTE]);

/** Column of the rows that a statement returns. */
interface Column {
  readonly name: string;
  readonly read: (text: string) => unknown;
}

/** A statement of one connection, which the server prepares once. */
export class Statement {
  isPrepared = false;
  /** Columns of its rows; null until the server has described them. */
  columns: readonly Column[] | null = null;
  readonly #parse: Buffer;
  /** Unnamed portal, name of the statement, and parameters as text. */
  readonly #target: Buffer;

  constructor(name: string, text: string) {
    this.#parse = parse(text, name);
    this.#target = Buffer.concat([zeros(1), terminated(name), zeros(2)]);
  }

  /** Returns the messages that run the statement, after the messages that are already due. */
  run(due: Buffer, values: readonly unknown[]): Buffer {
    const before = this.isPrepared ? due : Buffer.concat([due, this.#parse]);
    const after = this.columns === null ? DESCRIBED_END : END;
    const texts = values.map((value) => (value === null || value === undefined ? null : String(value)));
    let length = 4 + this.#target.length + 4;
    for (const text of texts) length += 4 + (text === null ? 0 : Buffer.byteLength(text));
    const bytes = Buffer.allocUnsafe(before.length + 1 + length + after.length);
    let at = before.copy(bytes);
    bytes[at] = BIND;
    at = bytes.writeInt32BE(length, at + 1);
    at += this.#target.copy(bytes, at);
    at = bytes.writeInt16BE(texts.length, at);
    for (const text of texts) {
      const size = text === null ? ABSENT : bytes.write(text, at + 4);
      bytes.writeInt32BE(size, at);
      at += 4 + Math.max(0, size);
    }
    at = bytes.writeInt16BE(0, at); // columns as text
    after.copy(bytes, at);
    return bytes;
  }
}

const BIND = 'B'.charCodeAt(0);
/** Size of a parameter without a value. */
const ABSENT = -1;

/** A query of pg's client: messages, and the answer up to the end of the group. The client calls its methods. */
export class Exchange implements pg.Submittable {
  readonly rows: Record<string, unknown>[] = [];
  /** Command tag of the last statement. */
  tag = '';
  /** Receives the end or the error. The client may replace it, to add a time limit. */
  callback: (error: Error | null) => void;
  readonly #client: pg.Client;
  readonly #bytes: Buffer;
  readonly #statement: Statement | null;

  constructor(
    client: pg.Client,
    bytes: Buffer,
    statement: Statement | null,
    callback: (error: Error | null, exchange: Exchange) => void,
  ) {
    this.#client = client;
    this.#bytes = bytes;
    this.#statement = statement;
    this.callback = (error) => callback(error, this);
  }

  submit(connection: pg.Connection): void {
    if (this.#statement?.isPrepared === false) connection.on('parseComplete', this.#isPrepared);
    if (connection.stream.writable) connection.stream.write(this.#bytes);
  }

  readonly #isPrepared = (): void => void (this.#statement!.isPrepared = true);

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    if (this.#statement === null) return;
    this.#statement.columns = fields.map(({ name, dataTypeID }) => ({
      name,
      read: this.#client.getTypeParser(dataTypeID, 'text') as Column['read'],
    }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const columns = this.#statement?.columns ?? [];
    const row: Record<string, unknown> = {};
    for (let i = 0; i < columns.length; i++) {
      const { name, read } = columns[i]!;
      const text = fields[i] ?? null;
      row[name] = text === null ? null : read(text);
    }
    this.rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.tag = text;
  }

  handleError(error: Error, connection: pg.Connection): void {
    connection.off('parseComplete', this.#isPrepared);
    this.callback(error);
  }

  handleReadyForQuery(connection: pg.Connection): void {
    connection.off('parseComplete', this.#isPrepared);
    this.callback(null);
  }
}
