/**
 * Replaces `node:buffer` and the global `Buffer` in the page: only the methods used by the readers of @isolab/formats,
 * by the writer of isolab's own format and by in-memory output.
 */
class Bytes extends Uint8Array {
  /** Readers use only the ASCII part of `latin1`, so it does not matter that browsers treat it as windows-1252. */
  override toString(encoding: 'utf8' | 'latin1' = 'utf8'): string {
    return new TextDecoder(encoding).decode(this);
  }

  override indexOf(wanted: string | number, from = 0): number {
    if (typeof wanted === 'number') return super.indexOf(wanted, from);
    const bytes = new TextEncoder().encode(wanted);
    for (let at = super.indexOf(bytes[0]!, from); at >= 0; at = super.indexOf(bytes[0]!, at + 1)) {
      if (bytes.every((byte, i) => this[at + i] === byte)) return at;
    }
    return -1;
  }
}

/** Unlike Node's version, it never copies bytes: readers do not modify their input. */
function bytesFrom(given: string | Uint8Array | ArrayBuffer, offset?: number, length?: number): Bytes {
  if (typeof given === 'string') return bytesFrom(new TextEncoder().encode(given));
  if (given instanceof Uint8Array) return new Bytes(given.buffer as ArrayBuffer, given.byteOffset, given.byteLength);
  return new Bytes(given, offset, length);
}

function concat(pieces: readonly Uint8Array[]): Bytes {
  const whole = new Bytes(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export const Buffer = { from: bytesFrom, concat };

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
