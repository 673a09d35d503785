import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BASE_RELATIONS, builtInLevel, printAxiom, readLevel } from '../src/index.ts';

const page = readFileSync(new URL('../../../../docs/levels.md', import.meta.url), 'utf8');

test('docs/levels.md explains every relation', () => {
  for (const name of Object.keys(BASE_RELATIONS)) expect(page).toContain(`\`${name}\``);
});

test('the level that docs/levels.md shows is valid and has ten lines', () => {
  const text = /```text\n(level my-psi[^`]*)```/.exec(page)![1]!;
  expect(text.trim().split('\n')).toHaveLength(10);
  const level = readLevel(text, 'docs/levels.md');
  expect(level.implies).toEqual(['causal']);
  expect(level.axioms.map(printAxiom)).toContain(
    builtInLevel('parallel-snapshot-isolation')!.axioms.map(printAxiom).at(-1),
  );
});
