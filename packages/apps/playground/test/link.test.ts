import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MOST_CHARACTERS, fragmentOf, readFragment } from '../src/page/link.ts';
import { optionsIn, stepsIn, timeIn } from '../src/page/settings.ts';

test('a link holds every text and setting', () =>
  fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string(), async (text, value) => {
      const linked = { text, settings: { level: value, checker: 'weave' } };
      expect(await readFragment(await fragmentOf(linked))).toEqual(linked);
    }),
    { numRuns: 50 },
  ));

test('a small history stays readable, a larger one is packed', async () => {
  expect(await fragmentOf({ text: 'w(x,1)', settings: {} })).toBe('#text=w%28x%2C1%29');
  expect(await fragmentOf({ text: 'w(x,1) '.repeat(1000), settings: {} })).toMatch(/^#packed=[\w-]{1,100}$/);
});

test('a history too large for a link is refused, with its size and a remedy', async () => {
  const text = Array.from({ length: 9000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000))).join('');
  await expect(fragmentOf({ text, settings: {} })).rejects.toThrow(
    new RegExp(`would have \\d+ characters; at most ${MOST_CHARACTERS} are allowed`),
  );
});

test('a damaged link, and one that unpacks to too much, are refused', async () => {
  await expect(readFragment('#packed=AAAA_AAAA')).rejects.toThrow('damaged');
  await expect(readFragment('#packed=%%%')).rejects.toThrow('damaged');
  const bomb = await fragmentOf({ text: 'a'.repeat(1_500_000), settings: {} });
  await expect(readFragment(bomb)).rejects.toThrow('too large');
  expect(await readFragment('#main')).toBeNull();
});

test('a typed limit or option is read strictly', () => {
  expect(['500ms', '60', '1.5 m', ''].map(timeIn)).toEqual([500, 60_000, 90_000, null]);
  expect(() => timeIn('soon')).toThrow('The time limit is soon; expected a time such as 500ms');
  expect([stepsIn('12'), stepsIn(' ')]).toEqual([12, null]);
  expect(() => stepsIn('1e9')).toThrow('expected a whole number');
  expect(optionsIn('a=1, b=x=y\nc=')).toEqual({ a: '1', b: 'x=y', c: '' });
  expect(() => optionsIn('fast')).toThrow('The option fast has no value');
});
