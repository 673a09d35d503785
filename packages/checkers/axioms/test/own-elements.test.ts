import { builtInLevel } from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import { parseHistory } from '@isolab/testkit';
import { verifyCertificate } from '@isolab/verifier';
import { expect, test } from 'vitest';
import { decideAt } from './support/judge.ts';

// An element that a reader itself appended before stands at the end of its list, and one that it appends later is
// unseen. So a list that shows either among the elements of others violates every level that allows no such reads, in
// every order.

const LEVELS = ['monotonic-writes', 'read-your-writes', 'monotonic-reads', 'causal', 'strong-prefix'];

test.each([
  ['shows what its reader appends later', 'r(y,[0 1]) a(y,0)\na(y,1)'],
  ['shows what its reader appends later, in two', 'r(y,[0 2 1]) a(y,0) a(y,2)\na(y,1)'],
  ['ends with what its reader appends later', 'r(x,[1 2]) a(x,2)\na(x,1)'],
  ['shows twice what its reader appended', 'a(x,2) r(x,[2 1 2])\na(x,1)'],
  ['ends twice with what its reader appended', 'a(x,1) r(x,[1 1])'],
  ['shows both', 'a(x,0) r(x,[0 2 1 0]) a(x,2)\na(x,1)'],
])('a list that %s violates all levels', async (_, text) => {
  const given = parseHistory(text);
  for (const name of LEVELS) {
    const level = builtInLevel(name)!;
    expect(decideDefinition(given, level).satisfied).toBe(false);
    const { history, verdict, certificate } = await decideAt(given, level);
    expect(verdict.status).toBe('violated');
    expect(verifyCertificate(history, level.name, 'violated', certificate!, level)).toEqual({ ok: true });
  }
});

test.each([
  ['r(y,[0 1]) a(y,0)\na(y,1)', [0, 1]],
  ['a(x,2) r(x,[2 1 2])\na(x,1)', [0, 1]],
] as const)('no order of versions is accepted that puts the reader first: %s', (text, order) => {
  for (const name of ['monotonic-writes', 'read-your-writes']) {
    const level = builtInLevel(name)!;
    const certificate = { kind: 'version-orders', happened: [0, 1], orders: [[0, order]] } as const;
    const verification = verifyCertificate(parseHistory(text), level.name, 'satisfied', certificate, level);
    expect(verification.ok ? 'accepted' : verification.problem).toMatch(/itself/);
  }
});
