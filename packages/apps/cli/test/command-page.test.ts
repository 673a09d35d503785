import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const page = readFileSync(new URL('../../../../docs/commands.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/(?:## isolab (\S+)\n\n)?```text\n([^]*?)\n```/g)];

describe('docs/commands.md is what npm run generate writes', () => {
  test.each(blocks.map(([, name, text]) => [name ?? 'isolab', text]))('%s', async (name, text) => {
    const { out } = await isolab(...(name === 'isolab' ? [] : [name!]), '--help');
    expect(out).toBe(text);
  });

  test('it has every command', async () => {
    const { out } = await isolab('--help');
    const names = [...out.slice(out.indexOf('Commands:')).matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name]) => name);
    expect(blocks.map(([, name]) => name ?? 'help').toSorted()).toEqual(names.toSorted());
  });
});
