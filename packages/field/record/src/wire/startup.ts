/** The client's first packet, which has no type. */
export type FirstPacket =
  | { readonly kind: 'ssl' }
  | { readonly kind: 'gss' }
  /** TLS without a preceding request. */
  | { readonly kind: 'tls' }
  | { readonly kind: 'cancel'; readonly packet: Buffer }
  | { readonly kind: 'startup'; readonly packet: Buffer; readonly startup: Startup }
  /** A protocol other than PostgreSQL's, or an unsupported version of it. */
  | { readonly kind: 'unknown' };

export interface Startup {
  readonly user: string;
  readonly database: string;
  readonly applicationName: string | null;
  /** Whether the client is a replica or similar, which does not speak SQL. */
  readonly isReplication: boolean;
}

/** Returns the first packet and its end, or null while it is incomplete. */
export function readFirstPacket(bytes: Buffer): { packet: FirstPacket; end: number } | null {
  if (bytes[0] === TLS_HANDSHAKE) return { packet: { kind: 'tls' }, end: 0 };
  if (bytes.length < 8) return null;
  const length = bytes.readInt32BE(0);
  const code = bytes.readInt32BE(4);
  if (length < 8 || length > LONGEST) return { packet: { kind: 'unknown' }, end: 0 };
  if (bytes.length < length) return null;
  const packet = Buffer.from(bytes.subarray(0, length));
  return { packet: packetOf(code, packet), end: length };
}

function packetOf(code: number, packet: Buffer): FirstPacket {
  if (code === SSL_REQUEST && packet.length === 8) return { kind: 'ssl' };
  if (code === GSS_REQUEST && packet.length === 8) return { kind: 'gss' };
  if (code === CANCEL_REQUEST) return { kind: 'cancel', packet };
  if (code >> 16 !== MAJOR) return { kind: 'unknown' };
  return { kind: 'startup', packet, startup: startupOf(packet) };
}

function startupOf(packet: Buffer): Startup {
  const words = packet.toString('utf8', 8).split('\0');
  const parameters = new Map<string, string>();
  for (let i = 0; i + 1 < words.length && words[i] !== ''; i += 2) parameters.set(words[i]!, words[i + 1]!);
  const user = parameters.get('user') ?? '';
  const replication = parameters.get('replication') ?? 'false';
  return {
    user,
    database: parameters.get('database') || user,
    applicationName: parameters.get('application_name') ?? null,
    isReplication: !NO.has(replication.toLowerCase()),
  };
}

export const SSL_REQUEST_PACKET = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;
const MAJOR = 3;
const TLS_HANDSHAKE = 0x16;
/** PostgreSQL's own limit for the first packet. */
const LONGEST = 10_000;
const NO: ReadonlySet<string> = new Set(['false', 'off', 'no', '0']);
