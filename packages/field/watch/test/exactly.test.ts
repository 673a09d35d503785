import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { streamHeader } from '../src/watcher/header.ts';
import { sessionIn } from '../src/stream/lines.ts';
import { Numbers } from '../src/watcher/numbers.ts';

describe('a line', () => {
  test('a line keeps integers that are longer than JavaScript knows, and texts that look like them', () => {
    const text = fc.array(fc.constantFrom('"', '\\', '12345678901234567890', ',', ':', 'a', 'ü'), { maxLength: 8 });
    const value = fc.oneof(
      text.map((parts) => JSON.stringify(parts.join(''))),
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
      fc.constantFrom('1e5', 'null', '[12345678901234567,"12345678901234567"]'),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 6 }), (values) => {
        const fields = values.map((each, i) => `,"f${i}":${each === '1e5' ? '100000' : each}`).join('');
        const header = `{"isolab":"history"${fields}}`;
        expect(streamHeader(header).text).toBe(header);
      }),
    );
  });

  // A pattern that goes through a text character by character runs out of stack.
  test('a line may have texts of megabytes', () => {
    const long = JSON.stringify('a'.repeat(1 << 24));
    const line = Buffer.from(`{"session":${long},"number":1,"ops":[["w","x",${long}]]}\n`);
    expect(sessionIn(line)).toBe(long);
    const numbers = new Numbers();
    expect([numbers.isAgain(line, 'a stream', 1), numbers.isAgain(line, 'a stream', 2)]).toEqual([false, true]);
    const header = `{"isolab":"history","note":${long},"initial":12345678901234567890}`;
    expect(streamHeader(header).text === header).toBe(true);
  });
});
