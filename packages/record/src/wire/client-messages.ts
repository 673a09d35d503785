/** Reading and rewriting the client's messages. What reads gives null for a malformed one: the server shall judge it. */
import type { Parameter } from '../statement.ts';
import { Client, HEADER } from './message-types.ts';
import { type Text, readText } from './text.ts';

/** The text of a Query. */
export function readQuery(message: Buffer): Text | null {
  const text = readText(message, HEADER);
  return text?.end === message.length ? text : null;
}

export function writeQuery(text: string, encoding: Text['encoding']): Buffer {
  const body = Buffer.from(`${text}\0`, encoding);
  return Buffer.concat([header(Client.Query, body.length), body]);
}

export interface Parse {
  readonly name: string;
  /** Null where it cannot be read. */
  readonly text: Text | null;
}

export function readParse(message: Buffer): Parse | null {
  const name = readText(message, HEADER);
  return name && { name: name.value, text: readText(message, name.end) };
}

/** The same Parse with another text. */
export function withText(message: Buffer, text: Text, value: string): Buffer {
  const start = message.lastIndexOf(0, text.end - 2) + 1;
  const body = [
    message.subarray(HEADER, start),
    Buffer.from(`${value}\0`, text.encoding),
    message.subarray(text.end),
  ] as const;
  const length = body.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([header(Client.Parse, length), ...body]);
}

export interface Bind {
  readonly portal: string;
  readonly statement: string;
  readonly parameters: readonly Parameter[];
  /** Where the number of result formats stands, and that number. */
  readonly formatsAt: number;
  readonly formats: number;
}

export function readBind(message: Buffer): Bind | null {
  const portal = readText(message, HEADER);
  const statement = portal && readText(message, portal.end);
  if (!statement) return null;
  try {
    const { parameters, end } = readParameters(message, statement.end);
    const formats = message.readUInt16BE(end);
    if (end + 2 + 2 * formats !== message.length) return null;
    return { portal: portal.value, statement: statement.value, parameters, formatsAt: end, formats };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Throws a RangeError where the message is too short. */
function readParameters(message: Buffer, start: number): { parameters: Parameter[]; end: number } {
  const formats = message.readUInt16BE(start);
  const isBinary = (index: number): boolean =>
    formats !== 0 && message.readUInt16BE(start + 2 + 2 * (formats === 1 ? 0 : index)) === 1;
  let at = start + 2 + 2 * formats;
  const count = message.readUInt16BE(at);
  at += 2;
  const parameters: Parameter[] = [];
  for (let i = 0; i < count; i++) {
    const length = message.readInt32BE(at);
    at += 4;
    if (length > message.length - at) throw new RangeError('a parameter longer than its message');
    parameters.push({ value: length < 0 ? null : message.subarray(at, at + length), isBinary: isBinary(i) });
    at += Math.max(0, length);
  }
  return { parameters, end: at };
}

/** The same Bind, asking for the hidden columns as text. No format or one goes for all columns, hidden ones too. */
export function withHiddenFormats(message: Buffer, bind: Bind, hidden: number): Buffer {
  if (hidden === 0 || bind.formats < 2) return message;
  const longer = Buffer.concat([message, Buffer.alloc(2 * hidden)]);
  longer.writeInt32BE(longer.length - 1, 1);
  longer.writeUInt16BE(bind.formats + hidden, bind.formatsAt);
  return longer;
}

/** Of Describe and Close. */
export interface Target {
  readonly isPortal: boolean;
  readonly name: string;
}

export function readTarget(message: Buffer): Target | null {
  const kind = message[HEADER];
  if (kind !== STATEMENT && kind !== PORTAL) return null;
  const name = readText(message, HEADER + 1);
  return name?.end === message.length ? { isPortal: kind === PORTAL, name: name.value } : null;
}

/** The portal of an Execute. */
export function readExecute(message: Buffer): string | null {
  const portal = readText(message, HEADER);
  return portal && portal.end + 4 === message.length ? portal.value : null;
}

/** The same Execute for all rows. */
export function withoutLimit(message: Buffer): Buffer {
  const limit = message.length - 4;
  if (message.readInt32BE(limit) === 0) return message;
  return Buffer.concat([message.subarray(0, limit), Buffer.alloc(4)]);
}

function header(type: number, bodyLength: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER);
  bytes[0] = type;
  bytes.writeInt32BE(bodyLength + 4, 1);
  return bytes;
}

const STATEMENT = 0x53;
const PORTAL = 0x50;
