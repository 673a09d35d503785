// Levels that transactions state, in isolab's own format.
import { levelOf } from '@isolab/history';
import { expect, test } from 'vitest';
import { isolab } from '../src/isolab/isolab.ts';
import { readText } from './support/describe-format.ts';

const HEADER = '{"isolab":"history","version":1}';
const OTHERS = 'one of too many levels';

test('transactions state levels, which the header explains and completes', async () => {
  const lines = '{"session":1,"level":"rc","ops":[]}\n{"session":2,"ops":[]}\n{"session":3,"level":"x","ops":[]}';
  const history = await readText(
    isolab,
    `{"isolab":"history","version":1,"level":"causal","levels":{"rc":"read-committed"}}\n${lines}`,
  );
  expect([0, 1, 2].map((t) => levelOf(history, t))).toEqual(['read-committed', 'causal', 'x']);
  expect(history.txnLevels!.of).toBeInstanceOf(Uint8Array);
  const without = await readText(isolab, `${HEADER}\n{"session":1,"ops":[]}`);
  expect(without.txnLevels).toBeNull();
  const twice = `{"isolab":"history","version":1,"levels":{"a":"causal","a":"prefix"}}\n{"session":1,"ops":[]}`;
  await expect(readText(isolab, twice)).rejects.toThrow('found the level "a" twice, expected each level once');
  const number = `${HEADER}\n{"session":1,"level":3,"ops":[]}`;
  await expect(readText(isolab, number)).rejects.toThrow('line 2, column 22');
  const many = Array.from({ length: 300 }, (_, i) => `{"session":1,"level":"l${i}","ops":[]}`);
  const strange = await readText(isolab, [HEADER, ...many].join('\n'));
  expect([0, 253, 254, 299].map((t) => levelOf(strange, t))).toEqual(['l0', 'l253', OTHERS, OTHERS]);
});
