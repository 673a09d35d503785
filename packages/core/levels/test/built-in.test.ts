import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  CORE_LEVELS,
  LEVEL_RECORDS,
  builtInLevel,
  builtInText,
  levelsModule,
  negativeUses,
  parseLevel,
  resolveLevel,
} from '../src/index.ts';
import { NAMES } from '../src/generated/levels.ts';

const folder = new URL('../levels/', import.meta.url);
const texts = readdirSync(folder).map((file) => ({
  name: file.replace(/\.lvl$/, ''),
  text: readFileSync(new URL(file, folder), 'utf8'),
}));

test('the generated module equals the files; otherwise: npm run generate', () => {
  expect(readFileSync(new URL('../src/generated/levels.ts', import.meta.url), 'utf8')).toBe(levelsModule(texts));
  for (const name of NAMES) expect(builtInText(name)).toBe(texts.find((each) => each.name === name)!.text);
});

test('no name is given twice', () => {
  const names = LEVEL_RECORDS.flatMap(({ name, aliases }) => [name, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
});

test.each(LEVEL_RECORDS)(
  '$name has a description, and stands after the levels that it implies',
  ({ name, title, summary, implies }) => {
    expect(title).toMatch(/^\p{Lu}/u);
    expect(summary).toMatch(/^\p{Lu}.*\.$/u);
    const at = (wanted: string): number => LEVEL_RECORDS.findIndex((each) => each.name === wanted);
    for (const weaker of implies) expect(at(weaker)).toBeLessThan(at(name));
    expect(builtInLevel(name)!.axioms.length + (builtInLevel(name)!.eachKeySatisfies ? 1 : 0)).toBeGreaterThan(0);
    expect(negativeUses(builtInLevel(name)!)).toEqual([]);
  },
);

test('core levels are levels', () => {
  for (const name of CORE_LEVELS) expect(builtInLevel(name)!.name).toBe(name);
});

test('a circle of levels that include one another is refused', () => {
  const files = ['level a includes b', 'level b includes c', 'level c includes a'].map((text, i) =>
    parseLevel(text, `${'abc'[i]!}.lvl`),
  );
  const library = { names: ['a', 'b', 'c'], find: (name: string) => files.find((file) => file.name === name) ?? null };
  expect(() => resolveLevel(files[0]!, library)).toThrow(
    'c.lvl:1:18: Found a circle: a includes b includes c includes a.',
  );
});

test('negative uses are uses of an order to the right of a difference', () => {
  const level = parseLevel('level a acyclic (so \\ (co | (wr \\ ww))) ; rw', 'a.lvl');
  const uses = negativeUses(resolveLevel(level, { names: [], find: () => null }));
  expect(uses.map(({ relation, position }) => `${relation} ${position.column}`)).toEqual(['co 24', 'wr 30']);
});
