import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineSplitter } from '../src/stream/line-splitter.ts';
import { Connection } from '../src/sources/connection.ts';
import { WholeLines } from '../src/stream/whole-lines.ts';

/** Bytes in pieces of this size. */
function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('lines that come in pieces', () => {
  test('lines that come in pieces are those of the whole, wherever they are cut', () => {
    const text = fc.array(fc.constantFrom('a', 'ü', '\n', ' ', '\r\n'), { maxLength: 40 }).map((some) => some.join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (whole, size) => {
        const bytes = Buffer.from(whole);
        const lines = new WholeLines();
        const taken = Buffer.concat([...pieces(bytes, size)].map((piece) => lines.take(piece)));
        const end = bytes.lastIndexOf(10) + 1;
        expect([taken.toString(), lines.rest.toString()]).toEqual([
          bytes.subarray(0, end).toString(),
          bytes.subarray(end).toString(),
        ]);
        const found: string[] = [];
        const splitter = new LineSplitter();
        for (const piece of pieces(bytes, size))
          splitter.split(piece, (some, from, to) => found.push(Buffer.from(some.subarray(from, to)).toString()));
        const expected = whole.match(/[^\n]*\n/g)?.filter((line) => line.trim() !== '') ?? [];
        expect(found).toEqual(expected);
      }),
    );
  });

  // A copy of the rest for each piece takes minutes.
  test.each([512, 1 << 16])(
    'lines that come in pieces of %d bytes are put together in a time that grows with the line',
    (size) => {
      const line = Buffer.alloc(1 << 24, 'x');
      line[line.length - 1] = 10;
      const connection = new Connection();
      const begin = performance.now();
      let taken = 0;
      for (const piece of pieces(line, size)) {
        const found = connection.take(piece);
        if ('lines' in found) taken += found.lines.length;
      }
      expect(taken).toBe(line.length);
      expect(performance.now() - begin).toBeLessThan(2000);
    },
  );

  test('lines that come in pieces are refused beyond 16 MB', () => {
    const connection = new Connection();
    expect(connection.take(Buffer.alloc(1 << 24, 'x'))).toMatchObject({ lines: Buffer.alloc(0) });
    expect(connection.take(Buffer.from('x'))).toEqual({
      problem: 'found more than 16777216 bytes, expected a shorter line',
    });
  });
});
