/** A line whose first field names its stream, as in `{"stream":"eu","session":1,"ops":[]}`. */
export interface NamedLine {
  readonly stream: string;
  readonly line: Buffer;
}

/**
 * Returns null if the first field has another name, or is the only field. Returns the problem if the name cannot be
 * read.
 */
export function nameIn(line: Buffer): NamedLine | { readonly problem: string } | null {
  const head = line.toString('latin1', 0, HEAD_BYTES);
  const [prefix, word, behind] = STREAM.exec(head) ?? [];
  if (prefix === undefined || word === undefined) return LONG.test(head) ? TOO_LONG : null;
  const stream = nameOf(word);
  if (stream === null)
    return { problem: `the stream name ${word.slice(0, 40)}, expected a string of whole characters` };
  if (behind === '}') return null;
  return { stream, line: Buffer.concat([OPENING, line.subarray(prefix.length)]) };
}

/** Returns the stream that an incomplete line names; null if it is unknown. */
export function ownerOf(beginning: Buffer): string | null {
  const word = STREAM.exec(beginning.toString('latin1', 0, HEAD_BYTES))?.[1];
  return word === undefined ? null : nameOf(word);
}

/**
 * A text is not a valid name if it is not JSON or UTF-8, or has half a surrogate pair: it could not be used in a folder
 * or a page.
 */
function nameOf(word: string): string | null {
  try {
    const name: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(word, 'latin1')));
    if (/\p{Cs}/u.test(String(name))) return null;
    return typeof name === 'string' ? name : word;
  } catch {
    return null;
  }
}

const OPENING = Buffer.from('{');
const MOST_BYTES = 1000;
const HEAD_BYTES = 2048;
const STREAM = /^\s*\{\s*"stream"\s*:\s*("(?:[^"\\]|\\.){0,1000}"|-?\d{1,1000})\s*([,}])/;
const LONG = /^\s*\{\s*"stream"\s*:\s*(?:"(?:[^"\\]|\\.){1001}|-?\d{1001})/;
const TOO_LONG = { problem: `a stream name of more than ${MOST_BYTES} bytes, expected a shorter one` };
