import { expect, test } from 'vitest';
import { LEVEL_RECORDS, builtInLevel, readLevel, sameLevel } from '../src/index.ts';

test.each(LEVEL_RECORDS.map(({ name }) => name))('%s is the same as itself', (name) => {
  expect(sameLevel(builtInLevel(name)!)).toBe(name);
});

test.each([
  ['serializable', 'co contains wr\nco contains so\nirreflexive rw ; co'],
  ['causal', 'let sees = wr | so\nacyclic sees | co\nirreflexive rw ; sees+'],
  ['prefix', 'co contains so | wr\nirreflexive (so | wr) ; rw ; co?'],
  ['linearizable', 'for each key satisfies sser'],
  ['parallel-snapshot-isolation', 'acyclic ww | wr | so\nif t2 (ww | wr | so)+ t3 then t2 before t1'],
])('%s is recognised', (name, axioms) => {
  expect(sameLevel(readLevel(`level mine\n${axioms}\n`, 'mine.lvl'))).toBe(name);
});

test.each([
  'co contains wr\nirreflexive rw ; co+ ; so',
  'co contains so | wr\nirreflexive co ; rw ; co',
  'for each key acyclic ww | wr',
  'acyclic ww | wr\nallows aborted-reads',
])('another level is not the same: %s', (axioms) => {
  const text = axioms.includes('allows')
    ? `level mine\nallows aborted-reads\nacyclic ww | wr\n`
    : `level mine\n${axioms}\n`;
  expect(sameLevel(readLevel(text, 'mine.lvl'))).toBeNull();
});
