import { type FoundAnomaly, LEVELS, type LevelName, implies, levelInWords } from '@isolab/contract';
import { fromPlain } from '@isolab/history';
import { printHistory, randomNumbers, randomRun } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { type CheckResult, check, open, story } from '../src/index.ts';
import type { LevelWord } from '../src/check.ts';
import { answerOf } from '../src/answer.ts';
import { jsonOf } from '../src/json.ts';
import { simplestOf } from '../src/simplest.ts';

const checked = async (text: string, level: LevelWord | LevelWord[] = 'all'): Promise<CheckResult> =>
  check(await open({ text, name: 'a history' }, { format: 'notation' }), { level });

describe('an answer about all levels', () => {
  const NOTHING = { strongest: [], weakestViolated: [], supposing: () => null, unknown: {} };

  test('an answer about all levels is in the words of the levels, with names that these do not say', () => {
    const answer = answerOf({
      ...NOTHING,
      strongest: ['generalized-snapshot-isolation', 'snapshot-isolation'],
      weakestViolated: ['plain-serializable'],
    });
    expect(answer).toEqual({
      kept: 'generalized snapshot isolation, snapshot isolation and everything weaker',
      notKept: 'serializability without sessions and everything stronger (plain-serializable)',
      notDecided: [],
    });
    expect(answerOf(NOTHING)).toEqual({ kept: null, notKept: null, notDecided: [] });
  });

  test('an answer about all levels names the assumption of a violation', () => {
    const supposing = (level: LevelName) => (level === 'serializable' ? 'if the clock is right' : null);
    const weakestViolated = ['adya-snapshot-isolation', 'serializable'] as const;
    expect(answerOf({ ...NOTHING, weakestViolated, supposing }).notKept).toBe(
      'snapshot isolation (Adya) and everything stronger (adya-snapshot-isolation); serializability and everything stronger (serializable), if the clock is right',
    );
  });

  test('an answer about all levels has one line for all missing properties of the history, and one for each other reason', () => {
    const of = (reason: 'needs-times' | 'needs-single-keys' | 'nothing-to-judge' | 'unsupported', detail: string) => ({
      reason,
      detail,
    });
    const unknown = {
      'cut-isolation': of('nothing-to-judge', 'nothing to judge: no key is read twice'),
      prefix: of('unsupported', 'mtc does not check prefix; it checks serializable.'),
      causal: of('unsupported', 'mtc does not check causal; it checks serializable.'),
      'generalized-snapshot-isolation': of('needs-times', 'needs times: none'),
      'strong-snapshot-isolation': of('needs-times', 'needs times: none'),
      linearizable: of('needs-single-keys', 'linearizable needs single-keys'),
    };
    expect(answerOf({ ...NOTHING, unknown }).notDecided).toEqual([
      'generalized snapshot isolation and everything stronger need times that can be compared; linearizability needs transactions of one key each',
      'cut isolation: no key is read twice',
      'prefix consistency, causal consistency: mtc does not check them; it checks serializable',
    ]);
  });

  test('an answer about all levels agrees with the levels, for any history, and one violation is explained', async () => {
    for (let seed = 0; seed < 60; seed++) {
      const random = randomNumbers(seed);
      const history = fromPlain(randomRun(random, { open: random() < 0.3, lists: random() < 0.3 }));
      const result = await check(history, { level: 'all' });
      const { levels, answer, named, strongest, weakestViolated } = result;
      const text = printHistory(history);
      expect([text, named, jsonOf(result).level]).toEqual([text, [], 'all']);
      for (const { name } of LEVELS) {
        const isKept = strongest.some((level) => implies(level, name));
        const isBroken = weakestViolated.some((level) => implies(name, level));
        expect([text, name, levels[name]!.verdict]).toEqual([
          text,
          name,
          isKept ? 'satisfied' : isBroken ? 'violated' : 'unknown',
        ]);
        expect(isKept && isBroken).toBe(false);
        if (levels[name]!.verdict === 'unknown') expect(levels[name]!.unknown).not.toBeNull();
      }
      for (const level of strongest) expect(answer!.kept).toContain(levelInWords(level));
      for (const level of weakestViolated) expect(answer!.notKept).toContain(levelInWords(level));
      expect([text, result.violations.length]).toEqual([text, weakestViolated.length > 0 ? 1 : 0]);
      // The verdict of each level by its name.
      const [told] = result.violations;
      if (told) expect((await check(history, { level: told.level })).verdict).toBe('violated');
    }
  });
});

describe('several violations', () => {
  test('several violations are explained by the simplest evidence among the weakest levels', async () => {
    const result = await checked('r(x,0) w(x,1) | r(x,0) w(x,2)');
    expect(result.weakestViolated).toEqual(['read-atomic', 'adya-snapshot-isolation', 'linearizable']);
    expect(result.deciding).toMatchObject({ level: 'adya-snapshot-isolation' });
    expect(result.anomalies.map(({ name }) => name)).toEqual(['lost-update']);
    const history = await open({ text: 'r(x,0) w(x,1) | r(x,0) w(x,2)' }, { format: 'notation' });
    expect((await story(history, result))!.title).toBe('Lost update');
  });

  test('a level that was asked for by name comes first', async () => {
    const text = 'r(x,0) w(x,1) | r(x,0) w(x,2)';
    const named = await checked(text, ['all', 'read-atomic']);
    expect(jsonOf(named)).toMatchObject({ level: 'read-atomic,all', named: ['read-atomic'] });
    expect(named.violations.map(({ level }) => level)).toEqual(['read-atomic']);
    const both = await checked(text, ['serializable', 'adya-snapshot-isolation', 'read-atomic']);
    expect(both.named).toEqual(['serializable', 'adya-snapshot-isolation', 'read-atomic']);
    expect(both.violations.map(({ level }) => level)).toEqual(['adya-snapshot-isolation', 'read-atomic']);
  });

  test('in one level, a simpler one is looked for where more than two transactions take part', async () => {
    // The first violation that is found is a long fork over sessions; in others is a session that misses its own write.
    const fork = 'w(a,1)\nw(b,1)\nr(a,1) r(b,0)\nr(b,1) r(a,0)';
    const lost = 'r(z,0) w(z,1)\nr(z,0) w(z,2)';
    const [forked, both] = [await checked(fork), await checked(`${fork}\n${lost}`)];
    expect(forked.anomalies[0]!.transactions.length).toBeGreaterThan(2);
    expect(both.anomalies[0]!.transactions).toHaveLength(2);
  });

  test('fewer transactions and reasons are simpler, and no clock or session is simpler than one', () => {
    const cycle = (...kinds: ('session' | 'real-time' | 'version')[]): FoundAnomaly => ({
      name: 'G0',
      transactions: kinds.map((_, t) => t),
      certificate: {
        kind: 'cycle',
        edges: kinds.map((kind, t) => ({
          from: t,
          to: (t + 1) % kinds.length,
          reason: kind === 'version' ? { kind, read: 0 } : { kind },
        })),
      },
    });
    const internal: FoundAnomaly = {
      name: 'G1a',
      transactions: [0, 1, 2],
      certificate: { kind: 'internal', anomaly: 'aborted-read', read: 0, other: 1 },
    };
    const bare: FoundAnomaly = { name: 'G0', transactions: [0] };
    const inOrder = [
      internal,
      cycle('version', 'version'),
      cycle('session', 'version'),
      cycle('real-time', 'version'),
      cycle('version', 'version', 'version'),
      bare,
    ];
    for (const [i, simpler] of inOrder.entries())
      for (const other of inOrder.slice(i)) {
        expect(simplestOf([simpler, other])).toBe(simpler);
        expect(simplestOf([other, simpler])).toBe(simpler);
      }
  });
});
