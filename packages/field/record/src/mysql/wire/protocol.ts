import { Bytes } from './bytes.ts';

export const Capability = {
  foundRows: 1 << 1,
  connectWithDatabase: 1 << 3,
  compress: 1 << 5,
  tls: 1 << 11,
  secureConnection: 1 << 15,
  pluginAuth: 1 << 19,
  connectAttributes: 1 << 20,
  lengthOfAuth: 1 << 21,
  sessionTrack: 1 << 23,
  withoutEof: 1 << 24,
  optionalMetadata: 1 << 25,
  zstd: 1 << 26,
  queryAttributes: 1 << 27,
} as const;

/** Capabilities of MariaDB alone, in the second set of bits. */
export const MariadbCapability = { bulk: 1 << 2, extendedMetadata: 1 << 3, cachedMetadata: 1 << 4 } as const;

export const Command = {
  quit: 1,
  initDb: 2,
  query: 3,
  fieldList: 4,
  statistics: 9,
  processInfo: 10,
  changeUser: 17,
  binlogDump: 18,
  tableDump: 19,
  registerSlave: 21,
  prepare: 22,
  execute: 23,
  longData: 24,
  close: 25,
  fetch: 28,
  resetConnection: 31,
  bulkExecute: 250,
} as const;

export const Status = {
  inTransaction: 1,
  autocommit: 2,
  moreResults: 8,
  cursor: 64,
  withoutBackslashes: 512,
  ansiQuotes: 32_768,
} as const;

/** The first byte of a packet that is no row. */
export const Head = { ok: 0, infile: 0xfb, eof: 0xfe, error: 0xff } as const;

export interface Greeting {
  readonly version: string;
  readonly connection: number;
  readonly capabilities: number;
  /** Copy of the packet that offers neither TLS nor compression. */
  readonly plain: Buffer;
}

/** Reads the server's first packet; null if it refuses the connection. */
export function greetingOf(payload: Buffer): Greeting | null {
  const bytes = new Bytes(payload);
  if (bytes.number(1) !== 10) return null;
  const version = bytes.untilZero();
  const connection = bytes.number(4);
  bytes.take(9);
  const plain = Buffer.from(payload);
  plain.writeUInt16LE(plain.readUInt16LE(bytes.at) & ~(Capability.tls | Capability.compress), bytes.at);
  const upper = bytes.at + 5;
  if (upper + 2 <= plain.length) plain.writeUInt16LE(plain.readUInt16LE(upper) & ~(Capability.zstd >>> 16), upper);
  const high = upper + 2 <= plain.length ? plain.readUInt16LE(upper) : 0;
  return { version, connection, capabilities: plain.readUInt16LE(bytes.at) | (high << 16), plain };
}

/** Facts from the client's answer to the greeting. */
export interface ClientFacts {
  readonly capabilities: number;
  readonly mariadb: number;
  readonly user: string;
  readonly database: string | null;
  readonly program: string | null;
}

export function clientFactsOf(payload: Buffer): ClientFacts {
  const bytes = new Bytes(payload);
  const capabilities = bytes.number(4);
  bytes.take(4 + 1 + 19);
  const mariadb = bytes.number(4); // zero bytes unless the client knows MariaDB
  const user = bytes.untilZero();
  if (capabilities & Capability.lengthOfAuth) bytes.counted();
  else if (capabilities & Capability.secureConnection) bytes.take(bytes.number(1));
  else bytes.untilZero();
  const database = capabilities & Capability.connectWithDatabase ? bytes.untilZero() : null;
  if (capabilities & Capability.pluginAuth) bytes.untilZero();
  const attributes = capabilities & Capability.connectAttributes && bytes.left > 0 ? attributesOf(bytes) : new Map();
  const program = attributes.get('program_name') ?? null;
  return { capabilities, mariadb: capabilities & 1 ? 0 : mariadb, user, database: database || null, program };
}

function attributesOf(bytes: Bytes): Map<string, string> {
  const part = new Bytes(bytes.take(bytes.length() ?? 0));
  const attributes = new Map<string, string>();
  while (part.left > 0) attributes.set(part.text(), part.text());
  return attributes;
}

/** An OK packet, or the EOF packet that ends a result. */
export interface Ok {
  readonly affected: number;
  readonly status: number;
  /** For an UPDATE: `Rows matched: 1  Changed: 0  Warnings: 0`. */
  readonly info: string;
}

export function okOf(payload: Buffer, { capabilities }: Pick<ClientFacts, 'capabilities'>): Ok {
  const bytes = new Bytes(payload, 1);
  const affected = bytes.length() ?? 0;
  bytes.length();
  const status = bytes.number(2);
  bytes.take(2);
  if (bytes.left === 0) return { affected, status, info: '' };
  return { affected, status, info: capabilities & Capability.sessionTrack ? bytes.text() : bytes.rest().toString() };
}

export const eofOf = (payload: Buffer): Ok => ({
  affected: 0,
  status: payload.length >= 5 ? payload.readUInt16LE(3) : 0,
  info: '',
});

export interface ServerError {
  readonly code: number;
  readonly message: string;
}

export function errorOf(payload: Buffer): ServerError {
  return { code: payload.readUInt16LE(1), message: payload.subarray(3).toString() };
}

/** A column of a result, with the stored column that it shows. */
export interface Column {
  readonly schema: string;
  /** Alias of the table in the statement. */
  readonly alias: string;
  readonly table: string;
  readonly column: string;
  readonly charset: number;
  readonly type: number;
  readonly flags: number;
  readonly decimals: number;
}

export function columnOf(payload: Buffer, { mariadb }: Pick<ClientFacts, 'mariadb'>): Column {
  const bytes = new Bytes(payload);
  bytes.text();
  const [schema, alias, table] = [bytes.text(), bytes.text(), bytes.text()];
  bytes.text();
  const column = bytes.text();
  if (mariadb & MariadbCapability.extendedMetadata) bytes.counted();
  bytes.length();
  const charset = bytes.number(2);
  bytes.take(4);
  return {
    schema,
    alias,
    table,
    column,
    charset,
    type: bytes.number(1),
    flags: bytes.number(2),
    decimals: bytes.number(1),
  };
}

/** An OK packet outside a transaction, as the first packet of an answer. */
export const COMMITTED = Buffer.from([7, 0, 0, 1, Head.ok, 0, 0, Status.autocommit, 0, 0, 0]);
