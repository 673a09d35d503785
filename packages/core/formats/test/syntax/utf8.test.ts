import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeUtf8, firstInvalidUtf8 } from '../../src/syntax/utf8.ts';
import { toBytes } from './helpers.ts';

function isAccepted(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

describe('UTF-8', () => {
  test('UTF-8 agrees with TextDecoder on every pair of bytes, alone and before continuation bytes', () => {
    const disagreements: string[] = [];
    for (let first = 0; first < 256; first++) {
      for (let second = 0; second < 256; second++) {
        for (const tail of [[], [0x80], [0x80, 0xbf], [0xbf, 0x80, 0x41], [0xc0, 0x80]]) {
          const bytes = Uint8Array.of(first, second, ...tail);
          if (firstInvalidUtf8(bytes, 0, bytes.length) < 0 !== isAccepted(bytes)) disagreements.push(bytes.join(' '));
        }
      }
    }
    expect(disagreements).toEqual([]);
  });

  test.each([
    [[0x61, 0xff], 1],
    [[0x61, 0xc3], 1], // cut off
    [[0xc3, 0xa9, 0xe2, 0x82], 2],
    [[0xc0, 0xaf], 0], // overlong
    [[0xed, 0xa0, 0x80], 0], // a surrogate
    [[0xf4, 0x90, 0x80, 0x80], 0], // past U+10FFFF
    [[0xf4, 0x8f, 0xbf, 0xbf], -1],
  ])('UTF-8 finds the fault in %j at %i', (bytes, index) => {
    expect(firstInvalidUtf8(Uint8Array.from(bytes), 0, bytes.length)).toBe(index);
  });

  test('UTF-8 decodes encoded text, byte order marks included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const bytes = toBytes(`(${text})`);
        expect(decodeUtf8(bytes, 1, bytes.length - 1)).toBe(text);
      }),
    );
    const marked = toBytes('\ufeffa');
    expect(decodeUtf8(marked, 0, marked.length)).toBe('\ufeffa');
  });
});
