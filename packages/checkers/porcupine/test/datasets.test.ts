import { readFileSync } from 'node:fs';
import { realHistories, realHistory, unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { readLog } from './support/logs.ts';
import { check } from './support/run.ts';

interface Entry {
  readonly format: string;
  readonly location: string;
  readonly expected: { readonly lin?: boolean | null };
}

describe('on the histories of porcupine’s tests', unless('datasets'), () => {
  const known = realHistories<Entry>().filter(
    ({ format, expected }) => format.startsWith('porcupine') && typeof expected.lin === 'boolean',
  );

  test('there are 42 with a known verdict', () => expect(known.length).toBe(42));

  test.each(known.map((entry) => [entry.location, entry] as const))('%s', (_, { format, location, expected }) => {
    const history = readLog(readFileSync(realHistory(location), 'utf8'), format);
    expect(check(history).status).toBe(expected.lin ? 'satisfied' : 'violated');
  });
});
