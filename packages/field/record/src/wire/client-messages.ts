/**
 * Reads the client's messages, from header to end. The functions return null for a malformed message: the server judges
 * it.
 */
import type { Parameter, Parameters } from './statement.ts';
import { HEADER } from './message-types.ts';
import { type Text, endOfText, readName, readText } from './text.ts';

export const readQuery = (bytes: Buffer, start: number, end: number): Text | null =>
  endOfText(bytes, start + HEADER, end) === end ? readText(bytes, start + HEADER, end) : null;

export interface Parse {
  readonly name: string;
  /** Null if the text cannot be read. */
  readonly text: Text | null;
  /** Offset from the start of the message. */
  readonly textStart: number;
  readonly textEnd: number;
  /** The numbers of the parameters' types; 0 if the server chooses the type. */
  readonly types: readonly number[];
}

export function readParse(bytes: Buffer, start: number, end: number): Parse | null {
  const textStart = endOfText(bytes, start + HEADER, end);
  if (textStart < 0) return null;
  const name = readName(bytes, start + HEADER, textStart);
  const textEnd = endOfText(bytes, textStart, end);
  const text = textEnd < 0 ? null : readText(bytes, textStart, textEnd);
  const types = textEnd < 0 ? NO_TYPES : typesIn(bytes, textEnd, end);
  return { name, text, textStart: textStart - start, textEnd: textEnd - start, types };
}

function typesIn(bytes: Buffer, start: number, end: number): readonly number[] {
  const count = start + 2 <= end ? bytes.readUInt16BE(start) : 0;
  if (count === 0 || start + 2 + 4 * count > end) return NO_TYPES;
  return Array.from({ length: count }, (_, i) => bytes.readUInt32BE(start + 2 + 4 * i));
}

const NO_TYPES: readonly number[] = [];

export interface Bind {
  readonly portal: string;
  readonly statement: string;
  readonly parametersAt: number;
  /** Offset of the number of result formats, and that number. */
  readonly formatsAt: number;
  readonly formats: number;
}

export function readBind(bytes: Buffer, start: number, end: number): Bind | null {
  const nameStart = endOfText(bytes, start + HEADER, end);
  const parametersAt = nameStart < 0 ? -1 : endOfText(bytes, nameStart, end);
  if (parametersAt < 0) return null;
  const formatsAt = endOfParameters(bytes, parametersAt, end);
  if (formatsAt === null) return null;
  const formats = bytes.readUInt16BE(formatsAt);
  if (formatsAt + 2 + 2 * formats !== end) return null;
  return {
    portal: readName(bytes, start + HEADER, nameStart),
    statement: readName(bytes, nameStart, parametersAt),
    parametersAt,
    formatsAt,
    formats,
  };
}

/** Null if the message is too short for the parameters and one number after them. */
function endOfParameters(bytes: Buffer, start: number, end: number): number | null {
  if (start + 2 > end) return null;
  let at = start + 2 + 2 * bytes.readUInt16BE(start);
  if (at + 2 > end) return null;
  const count = bytes.readUInt16BE(at);
  at += 2;
  for (let i = 0; i < count; i++) {
    if (at + 4 > end) return null;
    at += 4 + Math.max(0, bytes.readInt32BE(at));
  }
  return at + 2 > end ? null : at;
}

/** The parameters of a Bind message, decoded on demand. */
export class BoundParameters implements Parameters {
  readonly length: number;
  readonly #bytes: Buffer;
  readonly #formats: number;
  readonly #types: readonly number[];

  /** The bytes begin with the parameters' formats and are not reused. */
  constructor(bytes: Buffer, types: readonly number[]) {
    this.#bytes = bytes;
    this.#types = types;
    this.#formats = bytes.readUInt16BE(0);
    this.length = bytes.readUInt16BE(2 + 2 * this.#formats);
  }

  at(index: number): Parameter | undefined {
    if (index < 0 || index >= this.length) return undefined;
    const bytes = this.#bytes;
    let at = 4 + 2 * this.#formats;
    for (let i = 0; i < index; i++) at += 4 + Math.max(0, bytes.readInt32BE(at));
    const length = bytes.readInt32BE(at);
    const value = length < 0 ? null : bytes.subarray(at + 4, at + 4 + length);
    return { value, isBinary: this.#isBinary(index), type: this.#types[index] ?? 0 };
  }

  #isBinary(index: number): boolean {
    const formats = this.#formats;
    if (formats === 0 || (formats > 1 && index >= formats)) return false;
    return this.#bytes.readUInt16BE(2 + 2 * (formats === 1 ? 0 : index)) === 1;
  }
}

export interface Target {
  readonly isPortal: boolean;
  readonly name: string;
}

export function readTarget(bytes: Buffer, start: number, end: number): Target | null {
  const kind = start + HEADER < end ? bytes[start + HEADER] : undefined;
  if (kind !== STATEMENT && kind !== PORTAL) return null;
  const nameStart = start + HEADER + 1;
  if (endOfText(bytes, nameStart, end) !== end) return null;
  return { isPortal: kind === PORTAL, name: readName(bytes, nameStart, end) };
}

/** Returns the portal of an Execute message. The maximum number of rows follows it. */
export function readExecute(bytes: Buffer, start: number, end: number): string | null {
  const limitAt = end - 4;
  if (endOfText(bytes, start + HEADER, end) !== limitAt) return null;
  return readName(bytes, start + HEADER, limitAt);
}

/** Returns the Bind message with text formats added for the hidden columns. */
export function withHiddenFormats(bytes: Buffer, start: number, end: number, bind: Bind, hidden: number): Buffer {
  const longer = Buffer.concat([bytes.subarray(start, end), Buffer.alloc(2 * hidden)]);
  longer.writeInt32BE(longer.length - 1, 1);
  longer.writeUInt16BE(bind.formats + hidden, bind.formatsAt - start);
  return longer;
}

const STATEMENT = 0x53;
const PORTAL = 0x50;
