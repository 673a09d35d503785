/** Messages of PostgreSQL's protocol, as both sides send them. */

type Part = Buffer | string | number;

/** Strings end with a zero; numbers are of 16 bits. */
export function message(type: string, ...parts: readonly Part[]): Buffer {
  const body = Buffer.concat(parts.map(bytesOf));
  const header = Buffer.alloc(type.length + 4);
  header.write(type, 'latin1');
  header.writeInt32BE(body.length + 4, type.length);
  return Buffer.concat([header, body]);
}

const bytesOf = (part: Part): Buffer => {
  if (typeof part === 'string') return Buffer.from(`${part}\0`);
  return typeof part === 'number' ? int16(part) : part;
};

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const value = (text: string | null): Buffer =>
  text === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text)]);

export interface BindParts {
  readonly portal?: string;
  readonly statement?: string;
  readonly parameters?: readonly (string | null)[];
  readonly parameterFormats?: readonly number[];
  readonly formats?: readonly number[];
}

/** The client's. */
export const front = {
  query: (sql: string) => message('Q', sql),
  parse: (sql: string, name = '') => message('P', name, sql, 0),
  bind({ portal = '', statement = '', parameters = [], parameterFormats = [], formats = [] }: BindParts = {}): Buffer {
    const given = [parameterFormats.length, ...parameterFormats, parameters.length, ...parameters.map(value)];
    return message('B', portal, statement, ...given, formats.length, ...formats);
  },
  describeStatement: (name = '') => message('D', Buffer.from('S'), name),
  describePortal: (name = '') => message('D', Buffer.from('P'), name),
  execute: (portal = '', limit = 0) => message('E', portal, int32(limit)),
  closeStatement: (name = '') => message('C', Buffer.from('S'), name),
  closePortal: (name = '') => message('C', Buffer.from('P'), name),
  sync: () => message('S'),
  flush: () => message('H'),
  terminate: () => message('X'),
  copyData: (text: string) => message('d', Buffer.from(text)),
  copyDone: () => message('c'),
  copyFail: (why: string) => message('f', why),
  functionCall: () => message('F', int32(1), 0, 0, 0),
  /** Call of a function with one argument, as texts. */
  call: (oid: number, argument: string) => message('F', int32(oid), 1, 0, 1, value(argument), 0),
  password: (text: string) => message('p', text),
};

const placed = (place: number | string | null): string[] => (place === null ? [] : [`P${place}`, 'Fparse_expr.c']);

/** The server's. */
export const back = {
  authenticationOk: () => message('R', int32(0)),
  askPassword: () => message('R', int32(3)),
  sasl: (...mechanisms: readonly string[]) => message('R', int32(10), ...mechanisms, Buffer.alloc(1)),
  /** Protocol 3.2 at most, and one option that is not known. */
  negotiate: () => message('v', int32(0x3_0002), int32(1), '_pq_.unknown'),
  keyData: () => message('K', int32(77), Buffer.alloc(32, 7)),
  parameter: (name: string, text: string) => message('S', name, text),
  ready: (status = 'I') => message('Z', Buffer.from(status)),
  fields: (...names: readonly string[]) =>
    message('T', names.length, ...names.flatMap((name) => [name, Buffer.alloc(18, 1)])),
  row: (...values: readonly (string | null)[]) => message('D', values.length, ...values.map(value)),
  complete: (tag: string) => message('C', tag),
  empty: () => message('I'),
  error: (code: string, severity = 'ERROR', place: number | string | null = null) =>
    message('E', `S${severity}`, `V${severity}`, `C${code}`, 'Msomething failed', ...placed(place), Buffer.alloc(1)),
  notice: (place: number | string | null = null) =>
    message('N', 'SNOTICE', 'VNOTICE', 'C00000', 'Mlook', ...placed(place), Buffer.alloc(1)),
  notification: () => message('A', int32(9), 'channel', 'payload'),
  parsed: () => message('1'),
  bound: () => message('2'),
  closed: () => message('3'),
  parameters: () => message('t', 0),
  noData: () => message('n'),
  suspended: () => message('s'),
  copyIn: () => message('G', Buffer.alloc(1), 1, 0),
  copyOut: () => message('H', Buffer.alloc(1), 1, 0),
  copyBoth: () => message('W', Buffer.alloc(1), 1, 0),
  copyData: (text: string) => message('d', Buffer.from(text)),
  copyDone: () => message('c'),
  functionResult: () => message('V', int32(-1)),
};

export const all = (...messages: readonly Buffer[]): Buffer => Buffer.concat(messages);
