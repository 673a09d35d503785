import { readLevel } from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import { parseHistory } from '@isolab/testkit';
import { verifyCertificate } from '@isolab/verifier';
import { expect, test } from 'vitest';
import { decideAt } from './support/judge.ts';

// What random levels on random histories found.
test.each([
  ['reads of other keys are not there', 'for each key empty po', 'r(x,0) r(y,0)', 'satisfied'],
  ['nor are they beside what is denied', 'for each key irreflexive id \\ same-key', 'r(x,0)\nw(y,1)', 'satisfied'],
  ['reads of the key are', 'for each key empty po', 'r(x,0) r(x,0)', 'violated'],
  ['an aborted read may be out of thin air', 'allows thin-air-reads\nacyclic ww | wr', '!w(x,1)\nr(x,1)', 'satisfied'],
  ['a blind one may not', 'allows thin-air-reads\nacyclic ww | wr', 'w(x,1) r(x,0)', 'violated'],
  ['an order contains no identity', 'co contains [writer]? ; (so | id)', 'r(x,0)\nr(x,0)', 'violated'],
  ['what leads to the initial transaction is no order', 'acyclic wr^-1 | (ww | so)', 'r(x,0) | w(x,1)', 'satisfied'],
  ['of events neither', 'before contains [begin]? ; [begin]?', 'w(x,1) | r(x,1)', 'violated'],
])('%s', async (_, axioms, text, expected) => {
  const level = readLevel(`level mine\n${axioms}\n`, 'mine.lvl');
  const given = parseHistory(text);
  const { history, verdict, certificate } = await decideAt(given, level);
  expect(verdict.status).toBe(expected);
  expect(decideDefinition(given, level).satisfied).toBe(expected === 'satisfied');
  expect(verifyCertificate(history, level.name, verdict.status as 'satisfied', certificate!, level)).toEqual({
    ok: true,
  });
});
