/** Permitted changes of a stream by a session, stated without its code: bytes that it may change, add or leave out. */
import { type Statement, sentText } from '../../src/wire/statement.ts';
import { message } from './messages.ts';
import { rewriting } from './sessions.ts';

/**
 * Returns whether the bytes sent on are those that came, except for the changes of `rewriting`. The end may be missing.
 */
export function isFaithful(from: 'client' | 'server', came: Buffer, sent: Buffer): boolean {
  const ways = from === 'client' ? clientWays : serverWays;
  // Where in `sent` the messages so far may end: there can be several such places.
  let ends = new Set([0]);
  let at = 0;
  for (;;) {
    const end = endOfMessage(from, came, at);
    const rest = came.subarray(at);
    for (const place of ends) if (isBeginning(sent.subarray(place), rest)) return true;
    if (end === null) return false;
    const next = new Set<number>();
    for (const way of ways(came.subarray(at, end)))
      for (const place of ends) {
        const part = sent.subarray(place, place + way.length);
        if (part.equals(way)) next.add(place + way.length);
        else if (place + part.length === sent.length && isBeginning(part, way)) return true;
      }
    ends = next;
    at = end;
  }
}

const isBeginning = (part: Buffer, whole: Buffer): boolean =>
  part.length <= whole.length && part.equals(whole.subarray(0, part.length));

/** Null where there is no whole message, or none at all. */
function endOfMessage(from: 'client' | 'server', bytes: Buffer, at: number): number | null {
  if (at + 5 > bytes.length || !TYPES[from].includes(String.fromCharCode(bytes[at]!))) return null;
  const length = bytes.readInt32BE(at + 1);
  const end = at + 1 + length;
  return length >= 4 && end <= bytes.length ? end : null;
}

/** Number of columns that `rewriting` may hide. */
const HIDDEN = [1, 2, 3, 4, 5, 6, 7, 8, 9];

const TYPES = { client: 'BCdcfDEHFPpQSX', server: 'RK23CWdcGHDIEVvnNAtS1sZT' };

function clientWays(bytes: Buffer): readonly Buffer[] {
  const body = bytes.subarray(5);
  switch (String.fromCharCode(bytes[0]!)) {
    case 'Q':
      return body.indexOf(0) === body.length - 1 ? [bytes, message('Q', rewritten(body.subarray(0, -1)))] : [bytes];
    case 'P': {
      const name = body.indexOf(0) + 1;
      const text = name === 0 ? -1 : body.indexOf(0, name);
      if (text < 0) return [bytes];
      return [
        bytes,
        message('P', body.subarray(0, name), rewritten(body.subarray(name, text)), body.subarray(text + 1)),
      ];
    }
    case 'B':
      return [bytes, ...HIDDEN.flatMap((hidden) => withFormats(bytes, hidden))];
    case 'E':
      return bytes.length < 10 ? [bytes] : [bytes, Buffer.concat([bytes.subarray(0, -4), Buffer.alloc(4)])];
    default:
      return [bytes];
  }
}

function rewritten(text: Buffer): Buffer {
  const encoding = Buffer.from(text.toString('utf8')).equals(text) ? 'utf8' : 'latin1';
  const statements = rewriting(text.toString(encoding)) as readonly Statement[];
  const sent = statements.length === 0 ? text.toString(encoding) : statements.map(sentText).join('');
  return Buffer.from(`${sent}\0`, encoding);
}

/** A Bind for two columns or more, with as many formats again. The number of formats stands before them. */
function withFormats(bytes: Buffer, hidden: number): Buffer[] {
  for (let formats = 2; 2 * formats + 2 <= bytes.length - 5; formats++) {
    const place = bytes.length - 2 * formats - 2;
    if (bytes.readUInt16BE(place) !== formats) continue;
    const longer = Buffer.concat([bytes, Buffer.alloc(2 * hidden)]);
    longer.writeInt32BE(longer.length - 1, 1);
    longer.writeUInt16BE(formats + hidden, place);
    return [longer];
  }
  return [];
}

function serverWays(bytes: Buffer): readonly Buffer[] {
  const type = String.fromCharCode(bytes[0]!);
  if (type !== 'T' && type !== 'D') return [bytes];
  const shorter = HIDDEN.flatMap((hidden) => withoutLast(bytes, type, hidden));
  const instead = type === 'T' ? [message('n')] : [];
  return [bytes, ...shorter, ...instead, Buffer.alloc(0)];
}

function withoutLast(bytes: Buffer, type: 'T' | 'D', hidden: number): Buffer[] {
  if (bytes.length < 7) return [];
  const count = bytes.readUInt16BE(5) - hidden;
  let at = 7;
  for (let i = 0; i < count; i++) {
    if (type === 'T') at = bytes.includes(0, at) ? bytes.indexOf(0, at) + 19 : Infinity;
    else at += at + 4 > bytes.length ? Infinity : 4 + Math.max(0, bytes.readInt32BE(at));
    if (at > bytes.length) return [];
  }
  return count < 0 ? [] : [message(type, count, bytes.subarray(7, at))];
}
