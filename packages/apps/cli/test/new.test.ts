import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { KINDS } from '../src/new/kinds.ts';
import { isolab } from './support/isolab.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-new-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(KINDS)('isolab new $name', ({ name, template }) => {
  const ending = template.slice(template.lastIndexOf('.'));
  const file = join(folder, `a-new-${name}${ending}`);

  test('isolab new writes one file that is called as asked, and prints how to test it', async () => {
    const made = await isolab('new', name, `a-new-${name}`, '--out', folder);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out.split('\n').filter((line) => line.startsWith('  '))[0]).toContain('test');
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(`a-new-${name}`);
    expect(text).not.toContain(`my-${name}`);
  });

  test('isolab new writes over nothing', async () => {
    writeFileSync(file, 'mine');
    const again = await isolab('new', name, `a-new-${name}`, '--out', folder);
    expect(again.code).toBe(3);
    expect(again.err).toContain('exists already');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('isolab new explains the form of a name', async () => {
    expect(await isolab('new', name, 'Wrong', '--out', folder)).toMatchObject({
      code: 3,
      err: expect.stringContaining(`my-${name}`) as string,
    });
  });
});

test('an unknown kind is answered with all kinds', async () => {
  const { err } = await isolab('new', 'thing', 'x');
  for (const { name } of KINDS) expect(err).toContain(name);
});

test('an unknown kind is refused with the nearest known one', async () => {
  const { code, err } = await isolab('new', 'drvier', 'x');
  expect(code).toBe(3);
  expect(err).toContain('did you mean driver?');
});
