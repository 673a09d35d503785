import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../src/command-list.ts';
import { isolab } from './support/isolab.ts';

describe('the help', () => {
  test.each(Object.keys(COMMANDS))('the help of %s fits on a screen of 50 lines', async (name) => {
    const { out } = await isolab(...name.split(' '), '--help');
    expect(out.split('\n').length).toBeLessThanOrEqual(50);
    expect(out).toContain(`Usage: isolab ${name} [options]`);
  });

  test('the first screen has at most 45 lines of 80 columns', async () => {
    const lines = (await isolab('--help')).out.split('\n');
    expect(lines.length).toBeLessThanOrEqual(45);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('at most 21 commands and 97 flags exist', async () => {
    const flags = new Set(['--help']);
    for (const { load } of Object.values(COMMANDS))
      for (const { long } of (await load()).command.options) flags.add(long!);
    expect(Object.values(COMMANDS).filter(({ group }) => group !== '').length).toBeLessThanOrEqual(21);
    expect(flags.size).toBeLessThanOrEqual(95); // besides --output and --verbose
  });
});
