import type { Statement } from './statement.ts';

/** Maps a position in the text that was sent to a position in the client's text. Positions count characters, from 1. */
export function placeForClient(sent: readonly Statement[], place: number): number {
  let before = 0;
  let added = 0;
  for (const { text, added: part } of sent) {
    if (part !== null) {
      const start = before + charactersIn(text.slice(0, part.at));
      if (place <= start) break;
      const length = charactersIn(part.text);
      added += Math.min(length, place - start - 1);
      if (place <= start + length) break;
      before += length;
    }
    before += charactersIn(text);
  }
  return place - added;
}

function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
