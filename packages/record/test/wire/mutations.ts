import { DIALOGUE, type Turn } from './dialogue.ts';
import type { numbersFrom } from './random.ts';

type Numbers = ReturnType<typeof numbersFrom>;

/** The dialogue as single messages. */
const MESSAGES: readonly Turn[] = DIALOGUE.flatMap(({ from, bytes }) => {
  const messages: Turn[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    messages.push({ from, bytes: bytes.subarray(at, end) });
    at = end;
  }
  return messages;
});

/** A part of the dialogue, with one to four things wrong in it. */
export function mutated(numbers: Numbers): readonly Turn[] {
  const { below } = numbers;
  const start = below(3) === 0 ? below(MESSAGES.length) : 0;
  // The greeting stays, so that the rest is not all of the greeting's kind.
  const turns = [...MESSAGES.slice(0, GREETING), ...MESSAGES.slice(Math.max(GREETING, start))];
  for (let i = below(4); i >= 0; i--) mutate(turns, numbers);
  return turns;
}

function mutate(turns: Turn[], { below }: Numbers): void {
  const at = below(turns.length);
  const turn = turns[at];
  // One that was cut before has no length to change.
  if (turn === undefined || turn.bytes.length < 5) return;
  const bytes = Buffer.from(turn.bytes);
  switch (below(8)) {
    case 0:
      bytes[below(bytes.length)] = below(256);
      break;
    case 1:
      bytes[below(bytes.length)]! ^= 1 << below(8);
      break;
    case 2:
      bytes.writeInt32BE(bytes.readInt32BE(1) + below(9) - 4, 1);
      break;
    case 3:
      bytes.writeInt32BE(LENGTHS[below(LENGTHS.length)]!, 1);
      break;
    case 4:
      turns.splice(at, 1);
      return;
    case 5:
      turns.splice(at, 0, turn);
      return;
    case 6:
      turns.splice(below(turns.length), 0, ...turns.splice(at, 1));
      return;
    default:
      turns[at] = { from: turn.from, bytes: bytes.subarray(0, below(bytes.length)) };
      return;
  }
  turns[at] = { from: turn.from, bytes };
}

/** Authentication, parameters, and that the server is ready. */
const GREETING = 7;
const LENGTHS = [-1, 0, 3, 4, 5, 1 << 16, 0x3fff_ffff, 0x4000_0000, 0x7fff_ffff, -0x8000_0000];
