import type { Bytes } from './bytes.ts';

/** A parameter of a prepared statement; undefined if its value is not known. */
export type Parameter = string | number | null | undefined;

export const Type = {
  decimal: 0,
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  null: 6,
  timestamp: 7,
  longlong: 8,
  int24: 9,
  date: 10,
  time: 11,
  datetime: 12,
  year: 13,
  varchar: 15,
  bit: 16,
  timestamp2: 17,
  datetime2: 18,
  time2: 19,
  json: 245,
  newdecimal: 246,
  enum: 247,
  set: 248,
  tinyBlob: 249,
  blob: 252,
  varString: 253,
  string: 254,
  geometry: 255,
} as const;

const SIZES: Readonly<Record<number, number>> = {
  [Type.tiny]: 1,
  [Type.short]: 2,
  [Type.year]: 2,
  [Type.long]: 4,
  [Type.int24]: 4,
  [Type.float]: 4,
  [Type.double]: 8,
  [Type.longlong]: 8,
};

/**
 * Reads a value of the binary protocol, as the text that the text protocol would have; undefined for values whose text
 * is not known, such as floating-point numbers.
 */
export function binaryValue(bytes: Bytes, type: number, isUnsigned: boolean, decimals: number): string | undefined {
  const size = SIZES[type];
  if (size !== undefined) {
    const raw = Buffer.from(bytes.take(size));
    if (type === Type.double) {
      const value = raw.readDoubleLE(0);
      return Number.isSafeInteger(value) ? String(value) : undefined;
    }
    if (type === Type.float) return undefined;
    if (size === 8) return String(isUnsigned ? raw.readBigUInt64LE(0) : raw.readBigInt64LE(0));
    return String(isUnsigned ? raw.readUIntLE(0, size) : raw.readIntLE(0, size));
  }
  if (type === Type.date || type === Type.datetime || type === Type.timestamp) return dateText(bytes, type, decimals);
  if (type === Type.time) {
    bytes.take(bytes.number(1));
    return undefined;
  }
  return bytes.counted()?.toString() ?? undefined;
}

const pad = (value: number, size: number): string => String(value).padStart(size, '0');

function dateText(bytes: Bytes, type: number, decimals: number): string {
  const size = bytes.number(1);
  const [year, month, day] = size >= 4 ? [bytes.number(2), bytes.number(1), bytes.number(1)] : [0, 0, 0];
  const [hour, minute, second] = size >= 7 ? [bytes.number(1), bytes.number(1), bytes.number(1)] : [0, 0, 0];
  const micros = size >= 11 ? bytes.number(4) : 0;
  const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  if (type === Type.date) return date;
  return `${date} ${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}${fraction(micros, decimals)}`;
}

/** Formats microseconds with a number of digits: `.250`. */
export const fraction = (micros: number, digits: number): string =>
  digits > 0 && digits <= 6 ? `.${pad(micros, 6).slice(0, digits)}` : '';

/** Reads the parameters of a COM_STMT_EXECUTE; `types` are kept for the next execution, which may leave them out. */
export function parametersOf(bytes: Bytes, count: number, types: number[], isNamed: boolean): Parameter[] {
  if (count === 0) return [];
  const nulls = bytes.take((count + 7) >> 3);
  if (bytes.number(1) === 1)
    for (let i = 0; i < count; i++) {
      types[i] = bytes.number(2);
      if (isNamed) bytes.counted();
    }
  return Array.from({ length: count }, (_, i) => {
    if ((nulls[i >> 3]! >> (i & 7)) & 1) return null;
    const type = types[i]!;
    if ((type & 0xff) === Type.null) return null;
    const text = binaryValue(bytes, type & 0xff, type >= 0x80_00, 0);
    const isNumber = SIZES[type & 0xff] !== undefined && text !== undefined && Number.isSafeInteger(Number(text));
    return isNumber ? Number(text) : text;
  });
}
