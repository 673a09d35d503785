import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALL_ANOMALIES, CLAIM_ANOMALIES, KNOWN_LEVELS } from '@isolab/contract';
import { builtInText } from '@isolab/levels';
import { afterAll, describe, expect, test } from 'vitest';
import { isolab, shown } from './support/isolab.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-levels-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (text: string): string => {
  const file = join(folder, 'mine.lvl');
  writeFileSync(file, text);
  return file;
};

test('every anomaly is listed with its meaning and its other names', async () => {
  const { code, out } = await isolab('list', 'anomalies');
  expect(code).toBe(0);
  expect(out).toMatch(/^ *G2-item +a cycle of anti-dependencies \(write-skew, A5B, WriteSkew\)$/m);
  const { anomalies } = JSON.parse((await isolab('list', 'anomalies', '--output', 'json')).out) as {
    anomalies: { name: string }[];
  };
  expect(anomalies.map(({ name }) => name)).toEqual([...ALL_ANOMALIES, ...CLAIM_ANOMALIES].map(({ name }) => name));
});

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
    const compared = await isolab('levels', 'compare', 'prefix', 'si', '--out', join(folder, 'compared'));
    expect(shown(compared, folder)).toMatchInlineSnapshot(`
      "prefix does not imply snapshot-isolation. This history, one session per line, satisfies prefix and violates snapshot-isolation (Lost update):

        r(x,0) w(x,1)
        r(x,0) w(x,2)

      snapshot-isolation implies prefix, as its file states: no history was found that satisfies it and violates prefix.

      This is not a proof. Searched: 34 histories that distinguish levels, 1884 small histories (all of up to 2 transactions of 2 operations on 2 keys), and 3000 random histories (up to 4 transactions of 3 operations on 2 keys).
      standard error:
      Drawn: FOLDER/compared/prefix-not-snapshot-isolation.svg
      exit code 0"
    `);
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
    const placed = await isolab('levels', 'place', fileOf(text), '--out', drawn);
    expect(shown(placed, folder)).toMatchInlineSnapshot(`
      "mine is above causal, update-atomic, per-key-sequential and below parallel-snapshot-isolation. It neither implies nor is implied by 17 levels. This rests on 34 known histories that distinguish levels, 1884 small ones and 2000 random ones; it is not a proof.

      mine does not imply parallel-snapshot-isolation. This history, one session per line, satisfies mine and violates parallel-snapshot-isolation (Read skew):

        w(x,1) w(y,1)
        w(y,2)
        r(x,1) r(y,2)
        r(y,2) r(x,0)

      causal does not imply mine. This history, one session per line, satisfies causal and violates mine:

        r(x,0) w(x,1)
        r(x,0) w(x,2)

      update-atomic does not imply mine. This history, one session per line, satisfies update-atomic and violates mine:

        w(x,1)
        r(x,1) w(y,1)
        r(y,1) r(x,0)

      per-key-sequential does not imply mine. This history, one session per line, satisfies per-key-sequential and violates mine:

        r(x,1) r(y,0)
        w(x,1) w(y,1)
      standard error:
      Drawn: FOLDER/drawn/mine-not-parallel-snapshot-isolation.svg
      Drawn: FOLDER/drawn/levels.svg
      exit code 0"
    `);
    const lattice = readFileSync(join(drawn, 'levels.svg'), 'utf8');
    expect(lattice).toMatch(/class="own"><circle[^>]*><text[^>]*>mine<\/text>/);
    expect(lattice).toContain('<title>mine implies Causal consistency</title>');
  });

  test('isolab list levels places a level that may be equivalent to a built-in one', async () => {
    const { out } = await isolab('levels', 'place', fileOf('level mine\nincludes causal'), '--output', 'json');
    expect(JSON.parse(out)).toMatchObject({ level: 'mine', same: ['causal'] });
  });
});

describe('a wrong call is refused', () => {
  const mine = join(folder, 'mine.lvl');

  test.each([
    [['shwo', 'causal'], 'isolab levels has no action shwo; expected show LEVEL, compare LEVEL LEVEL, place LEVEL.'],
    [['place'], "missing required argument 'levels'"],
    [['show', 'causal', 'prefix'], 'isolab levels show needs one level, not 2.'],
    [['compare', 'causal'], 'isolab levels compare needs two levels, not 1.'],
    [['show', 'casual'], 'There is no level casual; did you mean causal? isolab list levels lists them.'],
    [['show', join(folder, 'none.lvl')], 'none.lvl: no such file or directory'],
    [['place', 'causal', '--out', '/dev/null/drawn'], '/dev/null/drawn: '],
    [['compare', 'prefix', 'si', '--out', '/dev/null/drawn'], '/dev/null/drawn: '],
    [
      ['show', 'causal', '--out', folder],
      '--out draws only the results of isolab levels compare and isolab levels place',
    ],
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
