/** Reading and rewriting the server's messages. What reads gives null for a malformed one. */
import { HEADER, Server } from './message-types.ts';
import { type Text, readText } from './text.ts';

/** A RowDescription without its last `hidden` fields. */
export function withoutFields(message: Buffer, hidden: number): Buffer | null {
  if (message.length < HEADER + 2) return null;
  const kept = message.readUInt16BE(HEADER) - hidden;
  if (kept < 0) return null;
  let at = HEADER + 2;
  for (let field = 0; field < kept; field++) {
    const zero = message.indexOf(0, at);
    at = zero + 1 + AFTER_FIELD_NAME;
    if (zero < 0 || at > message.length) return null;
  }
  return shortened(message, at, kept);
}

export interface Row {
  readonly visible: readonly (Buffer | null)[];
  readonly hidden: readonly (string | null)[];
  /** Where the hidden columns begin. */
  readonly hiddenAt: number;
}

/** A DataRow whose last `hidden` columns are ours. */
export function readRow(message: Buffer, hidden: number): Row | null {
  if (message.length < HEADER + 2) return null;
  const columns = message.readUInt16BE(HEADER);
  const shown = columns - hidden;
  if (shown < 0) return null;
  const row = { visible: [] as (Buffer | null)[], hidden: [] as (string | null)[], hiddenAt: message.length };
  let at = HEADER + 2;
  for (let column = 0; column < columns; column++) {
    if (column === shown) row.hiddenAt = at;
    if (at + 4 > message.length) return null;
    const length = message.readInt32BE(at);
    const start = at + 4;
    at = start + Math.max(0, length);
    if (at > message.length) return null;
    if (column < shown) row.visible.push(length < 0 ? null : message.subarray(start, at));
    else row.hidden.push(length < 0 ? null : message.toString('utf8', start, at));
  }
  return at === message.length ? row : null;
}

/** A DataRow without its hidden columns. */
export function withoutHidden(message: Buffer, row: Row): Buffer {
  return shortened(message, row.hiddenAt, row.visible.length);
}

/** The bytes are the session's own, so that nobody else sees the change. */
function shortened(message: Buffer, end: number, count: number): Buffer {
  const shorter = Buffer.allocUnsafe(end);
  message.copy(shorter, 0, 0, end);
  shorter.writeInt32BE(end - 1, 1);
  shorter.writeUInt16BE(count, HEADER);
  return shorter;
}

export const NO_DATA = Buffer.from([Server.NoData, 0, 0, 0, 4]);

/** The tag of a CommandComplete. */
export const readTag = (message: Buffer): string => readText(message, HEADER)?.value ?? '';

export interface ServerError {
  /** The SQLSTATE. */
  readonly code: string;
  readonly message: string;
  /** The server closes the connection: whether what it worked on has happened is not said. */
  readonly isFatal: boolean;
}

/** The fields of an ErrorResponse or a NoticeResponse. */
function* fieldsOf(message: Buffer): Generator<readonly [type: string, text: Text, start: number]> {
  for (let at = HEADER; at < message.length && message[at] !== 0;) {
    const text = readText(message, at + 1);
    if (text === null) return;
    yield [String.fromCharCode(message[at]!), text, at + 1];
    at = text.end;
  }
}

/** An error or a notice that tells another place in the text of the query. */
export function withPlace(message: Buffer, placeFor: (place: number) => number): Buffer {
  for (const [type, { value, end }, start] of fieldsOf(message)) {
    if (type !== 'P' || !/^\d{1,9}$/.test(value)) continue;
    const place = placeFor(Number(value));
    if (place === Number(value)) return message;
    const moved = Buffer.concat([message.subarray(0, start), Buffer.from(String(place)), message.subarray(end - 1)]);
    moved.writeInt32BE(moved.length - 1, 1);
    return moved;
  }
  return message;
}

export function readError(message: Buffer): ServerError {
  const fields = new Map(Array.from(fieldsOf(message), ([type, { value }]) => [type, value]));
  // Servers before 9.6 send the severity in the language of the client only.
  const severity = fields.get('V') ?? fields.get('S') ?? '';
  return {
    code: fields.get('C') ?? '',
    message: fields.get('M') ?? '',
    isFatal: severity === 'FATAL' || severity === 'PANIC',
  };
}

/** An error of the proxy's own, after which it closes the connection. */
export function fatalError(error: { code: string; message: string; hint: string }): Buffer {
  const fields = `SFATAL\0VFATAL\0C${error.code}\0M${error.message}\0H${error.hint}\0\0`;
  const body = Buffer.from(fields, 'utf8');
  const bytes = Buffer.alloc(HEADER + body.length);
  bytes[0] = Server.ErrorResponse;
  bytes.writeInt32BE(body.length + 4, 1);
  body.copy(bytes, HEADER);
  return bytes;
}

export function readParameterStatus(message: Buffer): { name: string; value: string } | null {
  const name = readText(message, HEADER);
  const value = name && readText(message, name.end);
  return value && { name: name.value, value: value.value };
}

export function readStatus(message: Buffer): 'I' | 'T' | 'E' | null {
  const status = String.fromCharCode(message[HEADER] ?? 0);
  return message.length === HEADER + 1 && (status === 'I' || status === 'T' || status === 'E') ? status : null;
}

/** Table, column, type, size, modifier, format. */
const AFTER_FIELD_NAME = 18;
