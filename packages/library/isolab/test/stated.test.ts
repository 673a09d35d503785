import { expect, test } from 'vitest';
import { certificate, check, open, story, verify } from '../src/index.ts';

const HEADER = '{"isolab":"history","version":1,"levels":{"SERIALIZABLE":"serializable","RC":"read-committed"}}';
const history = (...levels: readonly string[]) =>
  open({
    text: [
      HEADER,
      `{"session":"A",${levels[0]}"ops":[["r","x",null],["w","y",1]]}`,
      `{"session":"B",${levels[1]}"ops":[["r","y",null],["w","x",1]]}`,
      `{"session":"C",${levels[2]}"ops":[["r","y",1]]}`,
    ].join('\n'),
    name: 'skew.jsonl',
  });
const [SERIALIZABLE, WEAK] = ['"level":"SERIALIZABLE",', '"level":"RC",'];

test.each([
  [[SERIALIZABLE, SERIALIZABLE, WEAK], 'violated', 'axioms'],
  [[SERIALIZABLE, WEAK, WEAK], 'satisfied', 'axioms'],
  [[SERIALIZABLE, SERIALIZABLE, SERIALIZABLE], 'violated', 'weave'],
  [[WEAK, WEAK, WEAK], 'satisfied', 'weave'],
] as const)('a write skew of transactions at %s is %s, by %s', async (levels, verdict, checker) => {
  const opened = await history(...levels);
  const result = await check(opened, { level: 'stated' });
  expect([result.verdict, result.deciding?.checker]).toEqual([verdict, checker]);
  expect(Object.keys(result.levels)).toContain('stated');
  expect(verify(opened, certificate(opened, result))).toMatchObject({ ok: true });
});

test('a story names the levels of its transactions', async () => {
  const opened = await history(SERIALIZABLE, SERIALIZABLE, WEAK);
  const told = await story(opened, await check(opened, { level: 'stated' }));
  const text = JSON.stringify(told);
  expect(text).toContain('transaction 1 of session B at serializable (line 3)');
});

test.each([
  ['', 'transaction 1 of session C (skew.jsonl, line 4) states no level, expected strong-session-read-committed'],
  ['"level":"SNAPSHOT",', 'states the level "SNAPSHOT", expected strong-session-read-committed, read-committed'],
  ['"level":"strict-serializable",', 'states the level "strict-serializable", expected'],
])('a transaction with the field %s is an error', async (level, message) => {
  const opened = await history(SERIALIZABLE, WEAK, level);
  await expect(check(opened, { level: 'stated' })).rejects.toThrow(message);
  expect((await check(opened, { level: 'causal' })).verdict).toBe('satisfied');
});
