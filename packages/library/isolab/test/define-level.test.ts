import { expect, test } from 'vitest';
import {
  type LevelName,
  certificate,
  check,
  compare,
  defineLevel,
  jsonOf,
  open,
  shrink,
  story,
  verify,
} from '../src/index.ts';

const PSI =
  'level mine\ntitle "Mine"\nsummary "As parallel snapshot isolation, without sessions."\nacyclic wr | ww\nif t2 (wr | ww)+ t3 then t2 before t1\nempty [initial] ; so\n';
const SERIALIZABLE = 'level mine-too\nco contains wr\nco contains so\nirreflexive rw ; co\n';
const CHAIN = {
  text: [
    '{"isolab":"history","version":1,"initial":0}',
    '{"session":"A","ops":[["r","x",0],["w","x",1]]}',
    '{"session":"B","ops":[["r","x",1],["w","y",1]]}',
    '{"session":"C","ops":[["r","y",1],["r","x",0]]}',
    '{"session":"D","ops":[["r","z",0],["w","z",1]]}',
  ].join('\n'),
  name: 'chain.jsonl',
};

test('a level of a user is checked, compared, shrunk, explained, certified and verified', async () => {
  const { level, warning } = defineLevel(PSI, 'mine.lvl');
  expect([level.name, level.title, warning]).toEqual(['mine', 'Mine', null]);
  const history = await open(CHAIN);
  const result = await check(history, { level: level.name });
  expect(result.verdict).toBe('violated');
  expect(result.deciding?.checker).toBe('axioms');

  const file = certificate(history, result);
  expect(file?.level).toBe('mine');
  expect(verify(history, file)).toMatchObject({ ok: true });
  expect(verify(history, { ...file, level: 'nobody-s' })).toMatchObject({ ok: false });

  const shrunk = await shrink(history, result);
  expect(shrunk.history.txnStatus).toHaveLength(3);
  const told = await story(history, result);
  expect(told?.prose.map(({ text }) => text).join(' ')).toContain(
    'forbidden by axiom 2 of mine (mine.lvl:5): if t2 (wr | ww)+ t3 then t2 before t1',
  );
  const { verdict, agree } = await compare(history, { level: level.name, checkers: ['weave', 'axioms'] });
  expect([verdict, agree]).toEqual(['violated', true]);
});

test('the story of a level that each key must satisfy names repeated values', async () => {
  const { level: byKey } = defineLevel('level by-key\nfor each key satisfies causal\n', 'by-key.lvl');
  const proseOf = async (level: LevelName, ...sessions: readonly string[]): Promise<string> => {
    const history = await open({ text: sessions.join('\n'), name: 'history.txt' }, { format: 'notation' });
    const result = await check(history, { level });
    expect([result.verdict, verify(history, certificate(history, result))]).toMatchObject(['violated', { ok: true }]);
    return (await story(history, result))!.prose.map(({ text }) => text).join(' ');
  };
  expect(await proseOf(byKey.name, 'w(x,1)', 'r(x,1) | r(x,0) w(y,1)')).toMatch(
    /forbidden by axiom 2 of causal, which each key must satisfy \(causal\.lvl:/,
  );
  const several = ['w(x,1) | w(x,2)', 'w(x,1) | w(x,3)', 'r(x,3) | r(x,2) | r(x,1)'];
  expect(await proseOf('parallel-snapshot-isolation', ...several)).toMatch(
    /whichever writer each read saw, .* pairs and one read with several possible writers\./,
  );
});

test('the same in a worker and in a process', async () => {
  const { level } = defineLevel(PSI, 'mine.lvl');
  const history = await open(CHAIN);
  for (const place of ['worker', 'process'] as const) {
    const result = await check(history, { level: level.name, place });
    expect([place, result.verdict]).toEqual([place, 'violated']);
  }
});

test('a level with the axioms of one of isolab keeps its name, and is decided as that one', async () => {
  const { level, warning } = defineLevel(SERIALIZABLE);
  expect(level.name).toBe('mine-too');
  expect(warning).toBe('mine-too has the axioms of serializable, and is decided as that level');
  const history = await open(CHAIN);
  const result = await check(history, { level: level.name });
  expect(jsonOf(result)).toMatchObject({
    checker: 'weave',
    level: 'mine-too',
    levels: { 'mine-too': 'violated' },
    impliedBy: { 'mine-too': 'serializable' },
    weakestViolated: ['mine-too'],
  });
  expect(verify(history, certificate(history, result))).toMatchObject({ ok: true, result: 'accepted' });
  expect((await shrink(history, result, { level: level.name })).history.txnStatus).toHaveLength(3);
  expect((await story(history, result, { level: level.name }))?.level).toBe('serializable');
  const compared = await compare(history, { level: level.name, checkers: ['weave', 'cobra'] });
  expect(compared).toMatchObject({ agree: true, verdict: 'violated', level: 'mine-too' });
  expect(compared.reports.map(({ verdict }) => verdict)).toEqual(['violated', 'violated']);
});

test('the two names of one level have the same verdict, at any level', async () => {
  const { name: mine } = defineLevel(SERIALIZABLE).level;
  const both: readonly LevelName[] = [mine, 'serializable', 'causal'];
  for (const [text, verdict] of [
    ['w(x,1)\nr(x,1)', 'satisfied'],
    ['r(x,0) w(x,1)\nr(x,0) w(x,2)', 'violated'],
    ['w(x,1)', 'unknown'],
  ] as const) {
    const result = await check(await open({ text }, { format: 'notation' }), { level: both });
    const { levels } = result;
    expect([text, levels[mine]?.verdict, levels.serializable?.verdict]).toEqual([text, verdict, verdict]);
    expect(levels[mine]?.unknown).toEqual(levels.serializable?.unknown);
    if (verdict === 'violated') expect(result.anomalies).toHaveLength(1);
  }
});

test('a text that is no level says where', () => {
  expect(() => defineLevel('level x\nacyclic so | foo\n', 'x.lvl')).toThrow(/^x\.lvl:2:14: Found foo/);
});
