import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EdnScanner } from '../../src/syntax/edn-scanner.ts';
import { EdnReader } from '../../src/syntax/edn.ts';
import { ednValue, gap, print } from './edn-arbitrary.ts';
import { problemOf, toBytes } from './helpers.ts';

interface Found {
  text: string;
  line: number;
  column: number;
  offset: number;
}

const decoder = new TextDecoder();

/**
 * Scans a file that arrives in the given pieces. Consumed bytes go away at once and the rest moves, as in a reader of
 * streams; and examined bytes are overwritten, so that a second examine it would find something else.
 */
function scanned(pieces: readonly Uint8Array[]): Found[] {
  const scanner = new EdnScanner();
  const found: Found[] = [];
  let whole = new Uint8Array(0); // the bytes as they came
  let shown = new Uint8Array(0); // the same, spoilt where they were already scanned
  const note = (from: number, to: number): void => {
    const { line, column, offset } = scanner;
    found.push({ text: decoder.decode(whole.subarray(from, to)), line, column, offset });
  };
  pieces.forEach((piece, turn) => {
    const margin = turn % 3; // bytes move to other indices
    const rest = whole.length;
    whole = Uint8Array.of(...whole, ...piece);
    shown = Uint8Array.of(...new Uint8Array(margin), ...shown.fill(0x5d), ...piece);
    expect(shown.length).toBe(margin + rest + piece.length);
    let start = margin;
    for (;;) {
      const end = scanner.scan(shown, start, shown.length);
      if (end < 0) break;
      note(scanner.formStart - margin, end - margin);
      start = end;
    }
    if (turn === pieces.length - 1 && scanner.formStart < shown.length) note(scanner.formStart - margin, whole.length);
    whole = whole.slice(start - margin);
    shown = shown.slice(start);
  });
  return found;
}

/** The forms, by a reader that sees everything at once. */
function read(bytes: Uint8Array): Found[] {
  const reader = new EdnReader();
  const found: Found[] = [];
  reader.reset(bytes, 0, bytes.length);
  while (reader.peek() !== 'end') {
    const place = reader.place();
    found.push({ text: reader.readVerbatim(), ...place });
  }
  return found;
}

const plainGap = gap.filter((text) => !text.includes('#_'));

describe('the EDN scanner', () => {
  test('the EDN scanner finds the forms that a reader finds', () => {
    fc.assert(
      fc.property(
        fc.array(ednValue, { maxLength: 5 }),
        fc.array(gap, { minLength: 1, maxLength: 3 }),
        plainGap,
        (values, gaps, last) => {
          // Only forms have discards in them here: one before a form counts as a part of it to the scanner alone.
          const bytes = toBytes(last + values.map((value) => print(value, gaps) + last).join(''));
          expect(scanned([bytes])).toEqual(read(bytes));
        },
      ),
    );
  });

  test('the EDN scanner finds the same forms with any cut of the file', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(ednValue, gap), { maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        (forms, cuts) => {
          const bytes = toBytes(forms.map(([value, after]) => print(value, [after]) + after).join(''));
          const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
          expect(scanned(ends.map((end, i) => bytes.slice(ends[i - 1] ?? 0, end)))).toEqual(scanned([bytes]));
        },
      ),
    );
  });

  test('the EDN scanner finds the same forms at every cut, and byte by byte', () => {
    const bytes = toBytes(
      '; a "comment\n{:a [1 2]}{:b\n"\\"]\\\\"} #_ {:c 1}\n #_#_ x #inst "y" \\newline foo, [\\] \\[ ; ]\n] #{1}#t(2) 12\\a"b"nil é #_',
    );
    const whole = scanned([bytes]);
    expect(whole).toEqual([
      { text: '{:a [1 2]}', line: 2, column: 1, offset: 13 },
      { text: '{:b\n"\\"]\\\\"}', line: 2, column: 11, offset: 23 },
      { text: '#_ {:c 1}\n #_#_ x #inst "y" \\newline', line: 3, column: 10, offset: 36 },
      { text: 'foo', line: 4, column: 28, offset: 73 },
      { text: '[\\] \\[ ; ]\n]', line: 4, column: 33, offset: 78 },
      { text: '#{1}', line: 5, column: 3, offset: 91 },
      { text: '#t(2)', line: 5, column: 7, offset: 95 },
      { text: '12', line: 5, column: 13, offset: 101 },
      { text: '\\a', line: 5, column: 15, offset: 103 },
      { text: '"b"', line: 5, column: 17, offset: 105 },
      { text: 'nil', line: 5, column: 20, offset: 108 },
      { text: 'é', line: 5, column: 24, offset: 112 },
      { text: '#_', line: 5, column: 27, offset: 115 },
    ]);
    for (let cut = 0; cut <= bytes.length; cut++)
      expect(scanned([bytes.slice(0, cut), bytes.slice(cut)])).toEqual(whole);
    expect(scanned([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  test('the EDN scanner passes an unmatched closing bracket on to the reader, which refuses it', () => {
    const bytes = toBytes('{:a 1}\n  ] {:b 2}');
    const scanner = new EdnScanner();
    const end = scanner.scan(bytes, scanner.scan(bytes, 0, bytes.length), bytes.length);
    const reader = new EdnReader();
    reader.reset(bytes, scanner.formStart, end, scanner.line, scanner.offset, scanner.column);
    expect(problemOf(() => reader.readValue())).toBe("line 2, column 3: found ']' where a form was expected");
  });

  test('the EDN scanner states where an unfinished form begins', () => {
    const bytes = toBytes('{:a 1}\n ; b\n [1 2');
    const scanner = new EdnScanner();
    const start = scanner.scan(bytes, 0, bytes.length);
    expect(scanner.scan(bytes, start, bytes.length)).toBe(-1);
    const { formStart, line, column, offset } = scanner;
    expect({ formStart, line, column, offset }).toEqual({ formStart: 13, line: 3, column: 2, offset: 13 });
    const blank = new EdnScanner();
    expect([blank.scan(toBytes(' ; c'), 0, 4), blank.formStart]).toEqual([-1, 4]);
  });

  test('the EDN scanner accepts nesting of any depth and bytes of any kind', () => {
    const deep = toBytes('['.repeat(1_000_000) + ']'.repeat(1_000_000));
    expect(new EdnScanner().scan(deep, 0, deep.length)).toBe(deep.length);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(60), (bytes, cut) => {
        expect(scanned([bytes.slice(0, cut), bytes.slice(cut)])).toEqual(scanned([bytes]));
      }),
    );
  });
});
