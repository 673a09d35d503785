import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KNOWN_LEVELS } from '@isolab/contract';
import { builtInText } from '@isolab/levels';
import { afterAll, describe, expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-levels-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (text: string): string => {
  const file = join(folder, 'mine.lvl');
  writeFileSync(file, text);
  return file;
};

test('isolab list levels names every level', async () => {
  const { code, out } = await isolab('list', 'levels');
  expect(code).toBe(0);
  for (const { name } of KNOWN_LEVELS) expect(out).toContain(name);
  const json = JSON.parse((await isolab('list', 'levels', '--output', 'json')).out) as { levels: unknown[] };
  expect(json.levels).toHaveLength(KNOWN_LEVELS.length);
});

test('isolab list levels shows the file of a level, by any of its names', async () => {
  const { code, out } = await isolab('levels', 'show', 'PSI');
  expect(code).toBe(0);
  expect(out).toBe(builtInText('parallel-snapshot-isolation').trimEnd());
});

describe('isolab levels compare', () => {
  test('isolab list levels compares two levels of isolab, names the histories, and draws them', async () => {
    const { code, out, err } = await isolab('levels', 'compare', 'prefix', 'si', '--out', join(folder, 'compared'));
    expect(code).toBe(0);
    expect(out).toContain(
      'prefix does not imply snapshot-isolation. This history satisfies prefix and violates snapshot-isolation (Lost update), one session a line:\n\n  r(x,0) w(x,1)\n  r(x,0) w(x,2)',
    );
    expect(out).toContain('snapshot-isolation implies prefix, as its file states: no history was found');
    expect(out).toContain('This is no proof. Searched: ');
    expect(err).toContain('prefix-not-snapshot-isolation.svg');
    expect(readFileSync(join(folder, 'compared/prefix-not-snapshot-isolation.svg'), 'utf8')).toMatch(/^<svg/);
  });

  test('a file with a level', async () => {
    const file = fileOf('level mine\nincludes causal\nfor each key irreflexive ww ; rw');
    const { code, out } = await isolab('levels', 'compare', file, 'causal', '--output', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      levels: ['mine', 'causal'],
      onlyFirst: null,
      onlySecond: 'r(x,0) w(x,1)\nr(x,0) w(x,2)',
    });
  });
});

describe('isolab levels place', () => {
  const text = 'level mine\nincludes causal\nfor each key irreflexive ww ; rw';

  test('with a history at each border, and the lattice with it', async () => {
    const drawn = join(folder, 'drawn');
    const { code, out, err } = await isolab('levels', 'place', fileOf(text), '--out', drawn);
    expect({ code, out }).toMatchObject({ code: 0 });
    expect(out).toContain('mine stands above causal');
    expect(out).toContain(
      'causal does not imply mine. This history satisfies causal and violates mine, one session a line:\n\n  r(x,0) w(x,1)\n  r(x,0) w(x,2)',
    );
    expect(err).toContain('levels.svg');
    const lattice = readFileSync(join(drawn, 'levels.svg'), 'utf8');
    expect(lattice).toContain('class="own">mine</text>');
    expect(lattice).toContain('<title>mine implies causal</title>');
  });

  test('isolab list levels places a level that may be equivalent to a built-in one', async () => {
    const { out } = await isolab('levels', 'place', fileOf('level mine\nincludes causal'), '--output', 'json');
    expect(JSON.parse(out)).toMatchObject({ level: 'mine', same: ['causal'] });
  });
});

describe('a wrong call is refused', () => {
  const mine = join(folder, 'mine.lvl');

  test.each([
    [['shwo', 'causal'], 'isolab levels has no shwo; expected show LEVEL, compare LEVEL LEVEL, place LEVEL.'],
    [['place'], "missing required argument 'levels'"],
    [['show', 'causal', 'prefix'], 'isolab levels show takes one level, not 2.'],
    [['compare', 'causal'], 'isolab levels compare takes two levels, not 1.'],
    [['show', 'casual'], 'There is no level casual; did you mean causal? isolab list levels names them.'],
    [['show', join(folder, 'none.lvl')], 'none.lvl: no such file or directory'],
    [['place', 'causal', '--out', '/dev/null/drawn'], '/dev/null/drawn: '],
    [['compare', 'prefix', 'si', '--out', '/dev/null/drawn'], '/dev/null/drawn: '],
    [['show', 'causal', '--out', folder], '--out draws the results of isolab levels compare and isolab levels place'],
  ])('%j', async (words, message) => {
    const { code, err } = await isolab('levels', ...words);
    expect(code).toBe(3);
    expect(err).toContain(message);
  });

  test('a file with a mistake, with its place', async () => {
    fileOf('level mine\nacyclic so | rf');
    const { code, err } = await isolab('levels', 'compare', mine, 'causal');
    expect(code).toBe(3);
    expect(err).toContain(`${mine}:2:14: Found rf, expected a relation. Did you mean rt?`);
    expect((await isolab('test', mine)).code).toBe(3);
  });

  test('a level that does not imply its stated levels fails its test', async () => {
    fileOf('level mine\nimplies serializable\nincludes causal');
    const { code, out } = await isolab('test', mine);
    expect(code).toBe(3);
    expect(out).toContain('FAILS      it implies serializable: found ');
  });
});
