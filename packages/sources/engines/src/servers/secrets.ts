/** Secrets that protect isolab's servers from other users of the machine, new for each server. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { chmod, chown, writeFile } from 'node:fs/promises';
import type { User } from './users.ts';

export const newPassword = (): string => randomBytes(24).toString('hex');

/** Writes a file that only this user or, if this user is root, the server's user can read. */
export async function writeSecret(path: string, content: string, user: User | null = null): Promise<void> {
  await writeFile(path, content, { mode: 0o600 });
  await chmod(path, 0o600); // regardless of the umask and an existing file
  if (user) await chown(path, user.uid, user.gid);
}

/**
 * Returns a key and its self-signed certificate. A client that trusts the certificate accepts only servers with the
 * key.
 */
export function newCertificate(): { readonly key: string; readonly certificate: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const byUs = der(SEQUENCE, OID_ECDSA_WITH_SHA256);
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, OID_COMMON_NAME, der(UTF8_STRING, Buffer.from('isolab')))));
  const forAges = ['20000101000000Z', '20991231235959Z'].map((time) => der(GENERALIZED_TIME, Buffer.from(time)));
  const serial = der(INTEGER, Buffer.from([1]), randomBytes(15));
  const held = publicKey.export({ type: 'spki', format: 'der' });
  const content = der(SEQUENCE, serial, byUs, name, der(SEQUENCE, ...forAges), name, held);
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', content, privateKey));
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    certificate: pem('CERTIFICATE', der(SEQUENCE, content, byUs, signature)),
  };
}

/** Tags of X.690, the encoding of certificates. */
const [INTEGER, BIT_STRING, UTF8_STRING, GENERALIZED_TIME, SEQUENCE, SET] = [0x02, 0x03, 0x0c, 0x18, 0x30, 0x31];
const OID_ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const OID_COMMON_NAME = Buffer.from('0603550403', 'hex');

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const short = length < 0x80;
  return Buffer.concat([Buffer.from(short ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff]), content]);
}

const pem = (what: string, content: Buffer): string =>
  [`-----BEGIN ${what}-----`, ...content.toString('base64').match(/.{1,64}/g)!, `-----END ${what}-----`, ''].join('\n');
