// A pull reader for EDN (github.com/edn-format/edn) over bytes, the counterpart of json.ts: the caller asks for its
// parts in turn. EDN has no commas to skip, so within a tuple reads simply follow one another:
//
//   reader.beginSequence();                                      // [[:append 3 17] [:r 4 nil]]
//   while (reader.nextElement()) {
//     reader.beginSequence();
//     const kind = reader.readKeyword();
//     reader.readInteger(); …
//     reader.endSequence();
//   }
//
// White space, commas, comments and discarded forms (`#_ x`) are skipped everywhere. Differences from the notation:
// metadata, `##Inf` and namespaced maps (`#:a{…}`) are refused, and numbers other than integers are only checked, not
// computed.

import { MEANING, MEANING_OF_BYTE, WITHIN } from './edn-bytes.ts';
import { EdnTokens } from './edn-tokens.ts';
import type { EdnSequence, EdnValue } from './edn-values.ts';

export type { EdnValue } from './edn-values.ts';

// Local copies: see edn-bytes.ts.
const { CLOSE } = MEANING;
const { VECTOR, LIST, MAP, SET, ENTRY, BRACKET } = WITHIN;
const meaningOf = MEANING_OF_BYTE;

export class EdnReader extends EdnTokens {
  beginMap(): void {
    if (this.next() !== 0x7b) this.fail(this.at, 'a map');
    this.enter(MAP, 1);
  }

  /** Enters a vector, list or set. */
  beginSequence(): void {
    const kind = this.peek();
    if (kind === 'vector') this.enter(VECTOR, 1);
    else if (kind === 'list') this.enter(LIST, 1);
    else if (kind === 'set') this.enter(SET, 2);
    else this.fail(this.at, 'a vector, list or set');
  }

  /**
   * Moves to the next element, or key of a map, of the innermost collection. At the end, leaves the collection and
   * returns false.
   */
  nextElement(): boolean {
    const byte = this.next();
    const top = this.open[this.depth - 1];
    if (byte === (top & BRACKET)) {
      this.leave();
      return false;
    }
    if (byte < 0 || meaningOf[byte] === CLOSE) this.failInside(top);
    return true;
  }

  expectElement(expected: string): void {
    if (this.next() === (this.open[this.depth - 1] & BRACKET)) this.fail(this.at, expected);
  }

  /** Leaves the innermost collection, which must have no more elements. */
  endSequence(): void {
    const bracket = this.open[this.depth - 1] & BRACKET;
    if (this.next() !== bracket) this.fail(this.at, `'${String.fromCharCode(bracket)}'`);
    this.leave();
  }

  /** Reads any form as a tree. */
  readValue(): EdnValue {
    const { open } = this;
    const around: { readonly kind: 'map' | EdnSequence['kind']; readonly items: EdnValue[] }[] = [];
    for (;;) {
      const kind = this.peek();
      let value: EdnValue | undefined;
      if (kind === 'map' || kind === 'vector' || kind === 'list' || kind === 'set') {
        if (kind === 'map') this.beginMap();
        else this.beginSequence();
        around.push({ kind, items: [] });
      } else {
        value = this.readScalar();
      }
      // Add the value to its collection. If it was the last value there, that collection is the next value.
      for (;;) {
        const innermost = around.at(-1);
        if (value !== undefined) {
          if (innermost === undefined) return value;
          innermost.items.push(value);
          if (innermost.kind === 'map') open[this.depth - 1] = innermost.items.length % 2 === 0 ? MAP : ENTRY;
        }
        if (this.nextElement()) break;
        const { kind: closed, items } = around.pop()!;
        value = closed === 'map' ? { kind: closed, entries: inPairs(items) } : { kind: closed, items };
      }
    }
  }
}

function inPairs(items: readonly EdnValue[]): [key: EdnValue, value: EdnValue][] {
  const pairs: [key: EdnValue, value: EdnValue][] = [];
  for (let i = 0; i + 1 < items.length; i += 2) pairs.push([items[i], items[i + 1]]);
  return pairs;
}
