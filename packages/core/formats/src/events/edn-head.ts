/**
 * Returns the beginning of a file from its first map on, even inside a vector or list. Returns '' if the file begins
 * otherwise.
 */
export function firstEdnMap(head: Uint8Array): string {
  let at = 0;
  let isOpen = false;
  for (; at < head.length; at++) {
    const byte = head[at];
    if (byte === SEMICOLON) while (at + 1 < head.length && head[at + 1] !== LINE_FEED) at++;
    else if (byte > SPACE && byte !== COMMA) {
      if (isOpen || (byte !== OPEN_BRACKET && byte !== OPEN_PARENTHESIS)) break;
      isOpen = true;
    }
  }
  const text = Buffer.from(head.subarray(at)).toString('latin1');
  return /^(#[\w.]+\s*)?\{/.test(text) ? text : '';
}

/** A map of porcupine's key-value logs, which have a separate field for the key. */
export const KV_CALL = /^\{(?=[^}]*:f[\s,]+:(get|put|append)\b)[^}]*:key[\s,]*"/;

const [LINE_FEED, SPACE, OPEN_PARENTHESIS, COMMA, SEMICOLON, OPEN_BRACKET] = [10, 32, 0x28, 0x2c, 0x3b, 0x5b];
