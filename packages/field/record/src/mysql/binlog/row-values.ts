import type { Bytes } from '../wire/bytes.ts';
import { Type, fraction } from '../wire/values.ts';
import type { TableColumn } from './table.ts';

const pad = (value: number, size: number): string => String(value).padStart(size, '0');

/** Reads a value of a row image as the text of a result; undefined if the column is left out. */
export function rowValue(bytes: Bytes, column: TableColumn): string | undefined {
  const { type, metadata } = column;
  const value = read(bytes, type, metadata, column);
  return column.kind === 'left out' ? undefined : value;
}

/** Sizes of integers, and of values that are left out. */
const INTEGERS: Readonly<Record<number, number>> = { [Type.tiny]: 1, [Type.short]: 2, [Type.int24]: 3, [Type.long]: 4 };
const LEFT_OUT: Readonly<Record<number, number>> = {
  [Type.float]: 4,
  [Type.double]: 8,
  [Type.year]: 1,
  [Type.time]: 3,
  [Type.timestamp]: 4,
  [Type.datetime]: 8,
};

function read(bytes: Bytes, type: number, metadata: number, column: TableColumn): string | undefined {
  if (type in LEFT_OUT) return void bytes.take(LEFT_OUT[type]!);
  if (type in INTEGERS) return integer(bytes.take(INTEGERS[type]!), column);
  switch (type) {
    case Type.longlong: {
      const raw = bytes.take(8);
      return String(column.isUnsigned ? raw.readBigUInt64LE(0) : raw.readBigInt64LE(0));
    }
    case Type.newdecimal:
      return decimal(bytes, metadata & 0xff, metadata >> 8);
    case Type.date: {
      const packed = bytes.number(3);
      return `${pad(packed >> 9, 4)}-${pad((packed >> 5) & 15, 2)}-${pad(packed & 31, 2)}`;
    }
    case Type.timestamp2:
      return void bytes.take(4 + ((metadata + 1) >> 1));
    case Type.time2:
      return void bytes.take(3 + ((metadata + 1) >> 1));
    case Type.datetime2:
      return datetime(bytes, metadata);
    case Type.bit:
      return void bytes.take((metadata >> 8) + ((metadata & 0xff) > 0 ? 1 : 0));
    case Type.blob:
    case Type.geometry:
    case Type.json:
      return bytes.take(bytes.number(metadata)).toString();
    case Type.enum:
      return column.values[bytes.number(metadata & 0xff) - 1] ?? '';
    case Type.set:
      return void bytes.take(metadata & 0xff);
    case Type.varchar:
    case Type.string:
      return bytes.take(bytes.number(metadata > 255 ? 2 : 1)).toString();
    default:
      throw new RangeError(`a column of type ${type}`);
  }
}

const integer = (raw: Buffer, { isUnsigned }: TableColumn): string =>
  String(isUnsigned ? raw.readUIntLE(0, raw.length) : raw.readIntLE(0, raw.length));

/** Bytes of the first digits of a group of nine. */
const BYTES_OF_DIGITS = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4];

function decimal(bytes: Bytes, precision: number, scale: number): string {
  const whole = precision - scale;
  const sizes = [...groups(whole).toReversed(), ...groups(scale)];
  const total = sizes.reduce((sum, [size]) => sum + size, 0);
  const raw = Buffer.from(bytes.take(total));
  const isNegative = (raw[0]! & 0x80) === 0;
  raw[0]! ^= 0x80;
  if (isNegative) for (let i = 0; i < raw.length; i++) raw[i]! ^= 0xff;
  let at = 0;
  let digits = '';
  for (const [size, count] of sizes) {
    digits += pad(size === 0 ? 0 : raw.readUIntBE(at, size), count);
    at += size;
  }
  const left = digits.slice(0, whole).replace(/^0+(?=\d)/, '') || '0';
  const text = scale > 0 ? `${left}.${digits.slice(whole)}` : left;
  return isNegative ? `-${text}` : text;
}

/** Sizes in bytes and digits of the groups of a number of digits, whole groups first. */
function groups(digits: number): (readonly [size: number, digits: number])[] {
  const whole = Array.from({ length: Math.floor(digits / 9) }, () => [4, 9] as const);
  const rest = digits % 9;
  return rest > 0 ? [...whole, [BYTES_OF_DIGITS[rest]!, rest]] : whole;
}

function datetime(bytes: Bytes, digits: number): string {
  const raw = bytes.take(5).readUIntBE(0, 5) - 0x80_00_00_00_00;
  const size = (digits + 1) >> 1;
  const part = size > 0 ? bytes.take(size).readUIntBE(0, size) : 0;
  const micros = part * 10 ** (6 - 2 * size);
  const time = raw % 2 ** 17;
  const date = Math.floor(raw / 2 ** 17);
  const months = Math.floor(date / 32);
  const day = `${pad(Math.floor(months / 13), 4)}-${pad(months % 13, 2)}-${pad(date % 32, 2)}`;
  return `${day} ${pad(time >> 12, 2)}:${pad((time >> 6) & 63, 2)}:${pad(time & 63, 2)}${fraction(micros, digits)}`;
}
