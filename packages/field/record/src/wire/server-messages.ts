/** Reads the server's messages, from header to end. The functions return null for a malformed message. */
import { HEADER, Server } from './message-types.ts';
import { LONGEST_TEXT, endOfText, readName, readText } from './text.ts';

/** The client's columns of a RowDescription or a DataRow, and the start of the hidden columns. */
export interface Shown {
  readonly columns: number;
  readonly end: number;
}

/** Reads a RowDescription whose last `hidden` fields were added by the proxy. */
export function readFields(bytes: Buffer, start: number, end: number, hidden: number): Shown | null {
  if (end - start < HEADER + 2) return null;
  const columns = bytes.readUInt16BE(start + HEADER) - hidden;
  if (columns < 0) return null;
  let at = start + HEADER + 2;
  for (let field = 0; field < columns; field++) {
    const behindName = endOfText(bytes, at, end);
    at = behindName + AFTER_FIELD_NAME;
    if (behindName < 0 || at > end) return null;
  }
  return { columns, end: at };
}

export interface Row extends Shown {
  readonly hidden: readonly (string | null)[];
}

/** Reads a DataRow whose last `hidden` columns were added by the proxy; if there are none, its last column. */
export function readRow(bytes: Buffer, start: number, end: number, hidden: number): Row | null {
  if (end - start < HEADER + 2) return null;
  const all = bytes.readUInt16BE(start + HEADER);
  const columns = all - hidden;
  if (columns < 0) return null;
  const first = hidden === 0 ? all - 1 : columns;
  const ours: (string | null)[] = [];
  let at = start + HEADER + 2;
  let shownEnd = at;
  for (let column = 0; column < all; column++) {
    if (column === columns) shownEnd = at;
    if (at + 4 > end) return null;
    const length = bytes.readInt32BE(at);
    const value = at + 4;
    at = length < 0 ? value : value + length;
    if (at > end) return null;
    // No row has an empty text: the recording cannot read a row without its text.
    if (column >= first) ours.push(length < 0 ? null : length > LONGEST_TEXT ? '' : bytes.toString('utf8', value, at));
  }
  if (at !== end) return null;
  return { columns, end: hidden === 0 ? end : shownEnd, hidden: ours };
}

export const NO_DATA = Buffer.from([Server.NoData, 0, 0, 0, 4]);

export function readTag(bytes: Buffer, start: number, end: number): string {
  const behind = endOfText(bytes, start + HEADER, end);
  return behind < 0 ? '' : bytes.toString('latin1', start + HEADER, behind - 1);
}

export interface ServerError {
  readonly code: string;
  readonly message: string;
  /** Whether the server closes the connection: the outcome of its work is unknown. */
  readonly isFatal: boolean;
}

/** The fields of an ErrorResponse or a NoticeResponse. */
function* fieldsOf(message: Buffer): Generator<readonly [type: string, value: string, start: number, end: number]> {
  for (let at = HEADER; at < message.length && message[at] !== 0;) {
    const end = endOfText(message, at + 1, message.length);
    const text = end < 0 ? null : readText(message, at + 1, end);
    if (text === null) return;
    yield [String.fromCharCode(message[at]!), text.value, at + 1, end];
    at = end;
  }
}

/** Returns an error or a notice with a different position in the query's text. */
export function withPlace(message: Buffer, placeFor: (place: number) => number): Buffer {
  for (const [type, value, start, end] of fieldsOf(message)) {
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
  const fields = new Map(Array.from(fieldsOf(message), ([type, value]) => [type, value]));
  // Servers before 9.6 send the severity only in the client's language.
  const severity = fields.get('V') ?? fields.get('S') ?? '';
  return {
    code: fields.get('C') ?? '',
    message: fields.get('M') ?? '',
    isFatal: severity === 'FATAL' || severity === 'PANIC',
  };
}

/** Returns an error from the proxy itself, which then closes the connection. */
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
  const behindName = endOfText(message, HEADER, message.length);
  const end = behindName < 0 ? -1 : endOfText(message, behindName, message.length);
  if (end < 0) return null;
  return { name: readName(message, HEADER, behindName), value: readName(message, behindName, end) };
}

export function readStatus(bytes: Buffer, start: number, end: number): 'I' | 'T' | 'E' | null {
  if (end - start !== HEADER + 1) return null;
  return STATUSES[bytes[start + HEADER]!] ?? null;
}

const STATUSES: Readonly<Record<number, 'I' | 'T' | 'E'>> = { 0x49: 'I', 0x54: 'T', 0x45: 'E' };

/** Table, column, type, size, modifier, format. */
const AFTER_FIELD_NAME = 18;
