import { readLevel } from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import { parseHistory } from '@isolab/testkit';
import { verifyCertificate } from '@isolab/verifier';
import { expect, test } from 'vitest';
import { decideAt } from './support/judge.ts';

// Histories that random levels found.
test.each([
  ['reads of other keys are not there', 'for each key empty po', 'r(x,0) r(y,0)', 'satisfied'],
  ['nor are they beside what is denied', 'for each key irreflexive id \\ same-key', 'r(x,0)\nw(y,1)', 'satisfied'],
  ['reads of the key are', 'for each key empty po', 'r(x,0) r(x,0)', 'violated'],
  ['the same value of two keys is not the same', 'empty po & same-value', 'r(x,0) r(y,0)\nw(x,1) w(y,1)', 'satisfied'],
  ['that of one key is, whatever was read in between', 'empty po & same-value', 'r(x,0) r(y,0) r(x,0)', 'violated'],
  ['also in two transactions', 'acyclic reads ; (same-value \\ id) ; reads^-1', 'r(x,0)\nr(x,0)', 'violated'],
  ['and only of one key', 'acyclic reads ; (same-value \\ same-key) ; reads^-1', 'r(x,0)\nr(y,0)', 'satisfied'],
  ['an aborted read may be out of thin air', 'allows thin-air-reads\nacyclic ww | wr', '!w(x,1)\nr(x,1)', 'satisfied'],
  ['a blind one may not', 'allows thin-air-reads\nacyclic ww | wr', 'w(x,1) r(x,0)', 'violated'],
  ['an order contains no identity', 'co contains [writer]? ; (so | id)', 'r(x,0)\nr(x,0)', 'violated'],
  ['what leads to the initial transaction is no order', 'acyclic wr^-1 | (ww | so)', 'r(x,0) | w(x,1)', 'satisfied'],
  [
    'what is denied is of the key, too',
    'for each key empty (id \\ [initial]) \\ (reads ; reads^-1)',
    'r(x,0) r(y,0)\nr(y,0) w(x,1)',
    'violated',
  ],
  [
    'each key by itself may be seen early',
    'for each key satisfies serializable',
    'w(x,1) w(y,1)\nr(x,1) | r(y,0)',
    'satisfied',
  ],
  ['but not seen and missed', 'for each key satisfies serializable', 'w(x,1)\nr(x,1) | w(y,1) r(x,0)', 'violated'],
  [
    'whichever of two writers was seen, the key is in order',
    'for each key satisfies serializable',
    'w(x,1) | w(x,2) | w(x,1)\nr(x,1) | r(x,2) | r(y,0) r(x,1)',
    'satisfied',
  ],
  [
    'the axioms of all keys hold, too',
    'for each key satisfies causal\nif t2 wr t3 then t2 before t1',
    'w(x,1) w(y,1)\nr(x,1) r(y,0)',
    'violated',
  ],
  [
    'who is of unknown outcome happened at all keys if at one',
    'for each key satisfies serializable',
    '?w(x,1) w(y,1) | r(y,0)\nr(x,1)',
    'violated',
  ],
  [
    'of a key by itself, who writes another one is no writer',
    'for each key satisfies psi\nempty [writer] & rt',
    'w(x,1) r(y,0)',
    'satisfied',
  ],
  ['a key is there if nothing was learned of it', 'for each key irreflexive [initial]', 'r(x,?)', 'violated'],
  ['a list is, too', 'for each key irreflexive [initial]', 'r(x,[?])', 'violated'],
  ['a blind read is blind, whatever else it shows', 'allows blind-reads\nacyclic wr', 'w(x,1) r(x,7)', 'satisfied'],
  ['also where aborted reads are allowed', 'allows aborted-reads\nacyclic wr', '!w(x,7)\nw(x,1) r(x,7)', 'violated'],
  [
    'a list that ends with own elements is not blind',
    'allows thin-air-reads\nacyclic wr',
    'a(x,1) r(x,[5 1])',
    'satisfied',
  ],
  ['one that does not is', 'allows thin-air-reads\nacyclic wr', 'a(x,1) r(x,[1 5])', 'violated'],
  [
    'what an aborted one wrote, too, may have no writer',
    'allows aborted-reads\nempty wr',
    '!w(x,1)\nw(x,1)\nr(x,1)',
    'satisfied',
  ],
  ['what was overwritten, too', 'allows intermediate-reads\nempty wr', 'w(x,1) w(x,2)\nw(x,1)\nr(x,1)', 'satisfied'],
  ['the initial value, too', 'allows intermediate-reads\nempty wr', 'w(x,0) w(x,2)\nr(x,0)', 'satisfied'],
  ['what one writes later, too', 'allows future-reads\nempty wr', 'r(x,1) w(x,1)\nw(x,1)', 'satisfied'],
  ['but not at other levels', 'allows aborted-reads\nempty wr', 'r(x,1) w(x,1)\nw(x,1)', 'violated'],
  [
    'whether a row matches has the order of the row',
    'irreflexive missed ; missed^-1',
    'initial nil a/0={v: 1}\nput(a/0, {v: 1, x: 1})\nput(a/0, {v: 2})\nget(a/0, {v: 1, x: 1})\nscan(a, v = 1, {})',
    'violated',
  ],
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

test('reads from impossible transactions are named by the reason of the impossibility', async () => {
  const level = readLevel('level mine\nacyclic ww | wr\n', 'mine.lvl');
  const { verdict } = await decideAt(parseHistory('?w(x,1) r(y,9)\n?w(x,1) r(y,9)\nr(x,1)'), level);
  expect(verdict).toMatchObject({ status: 'violated', anomalies: [{ name: 'thin-air-read', transactions: [2] }] });
});
