import { parseNotation } from '@isolab/formats';
import { verifyEvidence } from '@isolab/verifier';
import { type LevelName, evidenceOf } from '@isolab/contract';
import { describe, expect, test } from 'vitest';
import { certificate as certificateOf, check, findAll, generate, shrink, story, verify } from '../src/index.ts';
import { openedHistory } from '../src/open.ts';

const open = (text: string) => openedHistory(parseNotation(text), { name: 'a history', format: 'notation', ms: 0 });

async function told(text: string, level: LevelName = 'serializable') {
  const opened = open(text);
  const result = await check(opened, { level });
  const { verdict } = result.deciding!;
  const { certificate, passedOver } = evidenceOf(verdict) ?? {};
  if (verdict.status === 'violated')
    expect(
      verifyEvidence(parseNotation(text), level, 'violated', { certificate: certificate!, passedOver }),
    ).toMatchObject({
      ok: true,
    });
  const of = result.verdict === 'violated' ? await story(opened, result) : null;
  return { opened, result, story: of, lines: of?.prose.map((sentence) => sentence.text) ?? [] };
}

const TRANSFERS = `initial nil acct/1={b: 50} acct/2={b: 50} acct/3={b: 0}
  get(acct/1, {b: 50}) get(acct/2, {b: 50}) put(acct/1, {b: 40}) put(acct/2, {b: 60})
  get(acct/2, {b: 60}) get(acct/3, {b: 0}) put(acct/2, {b: 30}) put(acct/3, {b: 30})`;
const DOCTORS = `initial nil doctors/1={on: true} doctors/2={on: true} doctors/3={on: true}
  count(doctors, on = true, 2) put(doctors/1, {on: false})
  count(doctors, on = true, 2) put(doctors/2, {on: false})
  put(doctors/3, {on: false}) | get(doctors/3, {on: false})`;

describe('the sum of an audit', () => {
  test('the sum of an audit that saw half of a transfer can only have been of certain rows, and its story is that of their reads', async () => {
    const { story: of, lines, result } = await told(`${TRANSFERS}\nsum(acct, true, b, 90)`);
    expect(of!.summary).toBe(
      'T3’s sum of acct sees T1’s update of acct/1 (b 50 → 40) but not its update of acct/2 (b 50 → 60).',
    );
    expect(lines).toContain('T3 added acct/1 where b = 40 and acct/2 where b = 50: no other choice gives that result.');
    expect(lines.some((line) => line.endsWith('sum of b = 90 in acct → includes 1, includes 2.'))).toBe(true);
    expect(result.anomalies[0]!.name).toBe(of!.anomaly!.name);
    expect(of!.anomaly!.name).toBe('G1-predicate');
  });

  test.each<LevelName>(['snapshot-isolation', 'prefix', 'causal', 'read-atomic'])(
    'the sum of an audit violates %s as well, and none before or behind the transfers does',
    async (level) => {
      expect((await told(`${TRANSFERS}\nsum(acct, true, b, 90)`, level)).result.verdict).toBe('violated');
      expect((await told(`${TRANSFERS}\nsum(acct, true, b, 100)`, level)).result.verdict).toBe('satisfied');
    },
  );

  test('the sum of an audit may see half of a transfer at read committed, where the rows have any order', async () => {
    expect((await told(`${TRANSFERS}\nsum(acct, true, b, 90)`, 'read-committed')).result.verdict).toBe('satisfied');
  });

  test('the sum of an audit to which no versions come has a story of one sentence', async () => {
    const { story: of, lines } = await told(`${TRANSFERS}\nsum(acct, true, b, 1000)`);
    expect(of!.summary).toBe('T3 finds 1000 to be the sum of b in acct, which no rows visible to it explain.');
    expect(lines).toContain('No choice of versions gives that result.');
    expect(of!.copies?.notation).toContain('sum(acct, true, b, 1000)');
  });
});

test('a sum that nothing explains is not satisfied beside a list, which is decided without aggregates', async () => {
  const text = 'initial nil a/1={x: 1}\na(l,1) r(l,[1]) sum(a, true, x, 7)';
  expect((await check(open(text), { level: 'serializable' })).levels.serializable!.unknown?.reason).toBe('incomplete');
});

describe('aggregates of transactions that may have happened', () => {
  const verified = async (text: string, level: LevelName) => {
    const opened = open(text);
    const result = await check(opened, { level, allowVacuous: true });
    const file = certificateOf(opened, result);
    return [result.verdict, file === null ? null : verify(opened, file).ok];
  };

  test('aggregates of transactions that may have happened need no explanation in one in which they did not', async () => {
    const text = `initial nil a/0={v: 1}
      sum(a, x <> 2, x, null) put(a/1, {x: 1}) | ?sum(a, x <> 2, x, 1) put(a/0, {x: 0}) | ?get(a/0, {x: 0}) put(a/0, nil) | scan(a, x <> 2, {1: {x: 1}})`;
    for (const level of ['read-committed-pl2', 'read-committed', 'read-atomic'] as const)
      expect([level, ...(await verified(text, level))]).toEqual([level, 'satisfied', true]);
  });

  test('aggregates of uncertain transactions decide nothing at cut isolation, either, where the certificate lists outcomes', async () => {
    const text = `initial nil
      ?put(a/1, {t: 'b', x: 2}) put(a/1, nil) max(a, true, x, 7) | ?put(a/1, {x: 0}) put(a/0, {x: 2}) | count(a, true, 2)`;
    expect(await verified(text, 'cut-isolation')).toEqual(['satisfied', true]);
  });

  test('no certificate supposes a transaction whose aggregate it does not explain', async () => {
    const text = `initial 0 a/0={x: 2}
      ?put(a/0, {x: 1}) sum(a, not x < 0, x, 1) put(a/0, nil) put(a/0, {v: 3, x: 1})
      ?put(a/0, {v: 4}) get(a/0, {v: 4}) put(a/0, nil)
      min(a, not x < 0, x, null) put(a/0, {v: 5, x: 0}) max(a, not x < 0, x, null)`;
    const sessions = text.replaceAll('\n      ', ' | ').replace(' | ', '\n');
    expect([
      ['satisfied', true],
      ['unknown', null],
    ]).toContainEqual(await verified(sessions, 'cut-isolation'));
  });

  test('one of those who may have deleted a row did, and if each contradicts itself, that is not satisfied', async () => {
    const text = (read: number): string => `initial nil a/0={x: 1} k=0
      ?put(a/0, nil) r(k,0) r(k,1)
      ?put(a/0, nil) r(k,0) r(k,${read})
      scan(a, true, {})
      w(k,1) | r(k,1) r(k,1)`;
    expect(await verified(text(0), 'cut-isolation')).toEqual(['satisfied', true]);
    expect(await verified(text(1), 'cut-isolation')).toEqual(['unknown', null]);
  });
});

describe('two counts that exclude one another', () => {
  test('two counts that exclude one another are explained by the ways in which they come about', async () => {
    const { story: of, lines } = await told(DOCTORS);
    expect(of!.anomaly!.name).toBe('inconsistent-aggregate');
    expect(of!.summary).toContain('T1 counts 2 rows of doctors where on = true and T2 counts 2 rows');
    expect(lines.filter((line) => line.startsWith('If T1 counted'))).toHaveLength(4);
    const skew = lines.find((line) => line.includes('whichever came first, the other should have seen its write'));
    expect(skew).toContain('not doctors/3');
    expect(of!.transactions.map(({ operations }) => operations.map(({ text }) => text))).toContainEqual([
      'count 2 of doctors where on = true',
      'update doctors/1: on true → false',
    ]);
  });

  test.each([
    ['', '2 more cases contradict the rest in a similar way.'],
    ['get(doctors/5, {on: true}) ', '1 more case contradicts the rest in a similar way.'],
  ])('two counts that exclude one another in many cases, after “%s”, have a story of eight', async (before, last) => {
    const { lines } = await told(`initial nil ${[1, 2, 3, 4, 5].map((i) => `doctors/${i}={on: true}`).join(' ')}
      ${before}count(doctors, on = true, 4) put(doctors/1, {on: false})
      count(doctors, on = true, 4) put(doctors/2, {on: false})
      put(doctors/3, {on: false})
      put(doctors/4, {on: false})
      put(doctors/5, {on: false})`);
    expect(lines.filter((line) => line.startsWith('If T1 counted'))).toHaveLength(8);
    expect(lines).toContain(last);
  });

  test('two counts that exclude one another are shrunk to the writers of the rows that they may have counted', async () => {
    const { opened, result } = await told(
      `${DOCTORS}\nput(doctors/9, {on: false}) get(doctors/9, {on: false})\nw(x,1) r(x,1)`,
    );
    const { history, reads, anomaly, stopped } = await shrink(opened, result);
    expect(anomaly?.certificate?.kind).toBe('aggregates');
    expect(history.txnStatus).toHaveLength(3);
    expect(reads.txnStatus).toHaveLength(3);
    expect(stopped).toBe('an aggregate may cover any version of its rows');
    expect(
      (await check(openedHistory(history, { name: 'a part', format: 'isolab', ms: 0 }), { level: 'serializable' }))
        .verdict,
    ).toBe('violated');
  });

  test('two counts that exclude one another are listed once', async () => {
    const { opened, result } = await told(DOCTORS);
    const { anomalies } = await findAll(opened, result);
    expect(anomalies.map(({ name }) => name)).toEqual(['inconsistent-aggregate']);
  });
});

describe('the story of counters', () => {
  test('the story of counters speaks of increments and values, not of rows', async () => {
    const { story: of, lines } = await told('r(n,0) inc(n,1) r(m,0)\nr(m,0) inc(m,2) r(n,0)');
    expect(of!.summary).toContain(
      'does not see T2’s increment of m by 2, which would change the result (it reads m = 0)',
    );
    const drawn = of!.transactions.flatMap(({ operations }) => operations.map(({ text }) => text));
    expect(drawn).toContain('increment n by 1');
    expect(drawn).toContain('read n = 0');
    expect([of!.summary, ...lines, ...drawn].join('\n')).not.toMatch(/\/\d|\badd\b|\brow/);
  });

  test('the notation of a story of counters has increments and reads, which isolab reads again', async () => {
    const given = 'initial 0 n=5\nr(n,5) inc(n,1) inc(n,3) r(m,0)\nr(m,0) inc(m,2) r(n,5)';
    const { opened, result } = await told(given);
    expect((await story(opened, result, { whole: true }))!.copies!.notation).toBe(given);
    const part = await told('inc(n,1) w(x,1)\nr(n,1) r(x,0)\nw(y,1)\nr(y,1) inc(n,2)');
    expect(part.story!.copies!.notation).toMatch(/^inc\(n,1\) w\(x,1\)\nr\(n,1(, …)?\) r\(x,0\)$/);
    expect([...part.lines, part.story!.summary].join('\n')).not.toMatch(/write n|\/\d|\badd\b/);
  });

  test('the story of a value that no increments explain names no row', async () => {
    const { story: of } = await told('inc(n,1)\ninc(n,1)\nr(n,5)');
    expect(of!.summary).toMatch(/^T\d reads n = 5, which no increments visible to it explain/);
  });

  test('the story of a counter that is also written plainly has rows', async () => {
    const { story: of } = await told('inc(n,1)\nw(n,7)\nr(n,5)');
    expect(of!.summary).toContain('sum of add in n');
  });

  test('the simulated database answers sums beyond 2^32 exactly', async () => {
    const made = await generate({
      workload: 'counters',
      parameters: { keys: '2', 'increments-per-key': '33', 'max-operations': '4' },
      level: 'serializable',
      sessions: 2,
      transactions: 200,
      seed: 1,
    });
    const opened = openedHistory(made.history, { name: 'a history', format: 'isolab', ms: 0 });
    expect(await check(opened, { level: 'serializable' })).toMatchObject({ verdict: 'satisfied', reason: null });
  });
});
