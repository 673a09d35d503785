import { DIALOGUE, GREETING, type Turn } from './dialogue.ts';
import { message } from './messages.ts';
import type { numbersFrom } from './random.ts';

type Numbers = ReturnType<typeof numbersFrom>;

/** The turns as single messages. */
const messagesOf = (turns: readonly Turn[]): readonly Turn[] =>
  turns.flatMap(({ from, bytes }) => {
    const messages: Turn[] = [];
    for (let at = 0; at < bytes.length;) {
      const end = at + 1 + bytes.readInt32BE(at + 1);
      messages.push({ from, bytes: bytes.subarray(at, end) });
      at = end;
    }
    return messages;
  });

const GREETED = messagesOf(GREETING);
const MESSAGES = messagesOf(DIALOGUE.slice(GREETING.length));

/** A part of the dialogue, with one to four things wrong in it. */
export function mutated(numbers: Numbers): readonly Turn[] {
  const { below } = numbers;
  const start = below(3) === 0 ? below(MESSAGES.length) : 0;
  // The greeting stays, so that the rest is not all of the greeting's kind.
  const turns = [...GREETED, ...MESSAGES.slice(start)];
  for (let i = below(4); i >= 0; i--) mutate(turns, numbers);
  return turns;
}

function mutate(turns: Turn[], numbers: Numbers): void {
  const { below } = numbers;
  const at = below(turns.length);
  const turn = turns[at];
  // A message that was cut before has no length to change.
  if (turn === undefined || turn.bytes.length < 5) return;
  switch (below(4)) {
    case 0:
      turns.splice(at, 1);
      break;
    case 1:
      // Again, or elsewhere.
      turns.splice(below(turns.length), 0, ...(below(2) === 0 ? [turn] : turns.splice(at, 1)));
      break;
    case 2:
      turns.splice(at, 0, { from: turn.from, bytes: stray(numbers) });
      break;
    default:
      turns[at] = { from: turn.from, bytes: changed(turn.bytes, numbers) };
  }
}

/** A message of any type, with a body of any length. */
function stray({ below }: Numbers): Buffer {
  const other = MESSAGES[below(MESSAGES.length)]!.bytes;
  const body = Buffer.alloc(below(2) === 0 ? 0 : below(12), below(256));
  return below(2) === 0 ? other : message(String.fromCharCode(other[0]!), body);
}

function changed(original: Buffer, { below }: Numbers): Buffer {
  const bytes = Buffer.from(original);
  switch (below(8)) {
    case 0:
      bytes[below(bytes.length)] = below(256);
      break;
    case 1:
      bytes[below(bytes.length)]! ^= 1 << below(8);
      break;
    case 2:
      // The length may be a mutated one, at the end of its range.
      bytes.writeInt32BE((bytes.readInt32BE(1) + below(9) - 4) | 0, 1);
      break;
    case 3:
      bytes.writeInt32BE(LENGTHS[below(LENGTHS.length)]!, 1);
      break;
    case 4:
      return bytes.subarray(0, below(bytes.length));
    case 5:
      bytes[0] = MESSAGES[below(MESSAGES.length)]!.bytes[0]!;
      break;
    case 6:
      // A count of columns, parameters or formats, perhaps.
      if (bytes.length >= 7) bytes.writeUInt16BE(COUNTS[below(COUNTS.length)]!, 5 + below(bytes.length - 6));
      break;
    default:
      if (bytes.length >= 9) bytes.writeInt32BE(LENGTHS[below(LENGTHS.length)]!, 5 + below(bytes.length - 8));
  }
  return bytes;
}

const LENGTHS = [-1, 0, 3, 4, 5, 1 << 16, 0x3fff_ffff, 0x4000_0000, 0x7fff_ffff, -0x8000_0000];
const COUNTS = [0, 1, 2, 3, 0x7fff, 0x8000, 0xffff];
