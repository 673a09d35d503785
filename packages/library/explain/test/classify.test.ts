import {
  ALL_ANOMALIES,
  type AnomalyName,
  INTERNAL_ANOMALY_NAMES,
  LEVELS,
  type LevelName,
  findAnomaly,
  implies,
  weakestForbidding,
} from '@isolab/contract';
import { type History, buildReadFrom, checkShape, toRegisters } from '@isolab/history';
import { levelsSatisfied } from '@isolab/oracle';
import { NAMED_HISTORIES, arbitraryHistory, h, namedHistory, parseHistory, printHistory } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classify } from '../src/classify/classify.ts';
import { decideLevels } from '../src/classify/levels.ts';
import { summarise, survey } from '../src/classify/summarise.ts';

/**
 * Names of the anomalies of the named histories, by the registry. Where two papers name one shape, the name is the
 * stricter one.
 */
const NAMES: Readonly<Record<string, AnomalyName>> = {
  'mtc-a-thin-air-read': 'thin-air-read',
  'mtc-b-aborted-read': 'G1a',
  'mtc-c-future-read': 'future-read',
  'mtc-d-not-my-last-write': 'not-my-last-write',
  'mtc-e-not-my-own-write': 'not-my-own-write',
  'mtc-f-intermediate-read': 'G1b',
  'mtc-g-non-repeatable-reads': 'non-repeatable-read',
  'mtc-g-reversed': 'non-repeatable-read',
  'mtc-h-session-guarantee-violation': 'session-guarantee-violation',
  'mtc-i-non-monotonic-read': 'non-monotonic-read',
  'mtc-j-fractured-read': 'fractured-read',
  'mtc-j-reversed': 'non-monotonic-read',
  'mtc-k-causality-violation': 'causality-violation',
  'mtc-l-long-fork': 'G-nonadjacent',
  'mtc-m-lost-update': 'lost-update',
  'mtc-n-write-skew': 'G2-item',
  'tap-a-thin-air-read': 'thin-air-read',
  'tap-b-aborted-read': 'G1a',
  'tap-c-future-read': 'future-read',
  'tap-d-not-my-own-write': 'not-my-own-write',
  'tap-e-not-my-last-write': 'not-my-last-write',
  'tap-f-intermediate-read': 'G1b',
  'tap-g-cyclic-co': 'G1c',
  'tap-h-non-monotonic-read-co': 'non-monotonic-read',
  'tap-i-non-monotonic-read-cm': 'non-monotonic-read',
  'tap-j-non-repeatable-read': 'non-repeatable-read',
  'tap-k-fractured-read-co': 'fractured-read',
  'tap-l-fractured-read-cm': 'fractured-read',
  'tap-m-co-conflict-cm': 'causality-violation',
  'tap-n-conflict-cm': 'causality-violation',
  'cut-isolation-only': 'future-read',
  'pl2-not-read-committed': 'session-guarantee-violation',
  'read-committed-not-dbcop': 'non-repeatable-read',
  'dbcop-not-read-atomic': 'fractured-read',
  'read-atomic-not-causal': 'causality-violation',
  'causal-not-prefix': 'G-nonadjacent',
  'prefix-not-snapshot': 'lost-update',
  'pl2-not-adya-snapshot': 'G-nonadjacent',
  'adya-not-snapshot-isolation': 'session-guarantee-violation',
  'adya-not-generalized': 'early-read',
  'snapshot-isolation-not-strong-session': 'early-read',
  'generalized-not-strong-session': 'session-guarantee-violation',
  'strong-session-not-strong': 'stale-read',
  'adya-not-plain-serializable': 'G2-item',
  'plain-serializable-not-serializable': 'session-guarantee-violation',
  'snapshot-not-serializable': 'G2-item',
  'serializable-not-strict': 'stale-read',
  'strict-not-generalized': 'early-read',
  'commit-without-return': 'early-read',
  'linearizable-not-serializable': 'G-nonadjacent-process',
  'linearizable-not-strict': 'G2-item',
  'stale-initial-read-in-session': 'session-guarantee-violation',
  'stale-initial-read-before-unknown-result': 'session-guarantee-violation',
  'stale-initial-read-after-read': 'session-guarantee-violation',
  'causality-through-initial': 'causality-violation',
  'initial-value-written-too-late': 'early-read',
  'nil-beside-an-initial-value': 'thin-air-read',
  'zero-where-nil-is-initial': 'thin-air-read',
  'list-own-element-twice': 'duplicate-elements',
  'list-own-element-twice-before-another': 'duplicate-elements',
  'list-own-element-twice-after-another': 'incompatible-order',
  'list-own-element-among-others': 'duplicate-elements',
  'list-element-like-the-initial-value': 'non-repeatable-read',
  'real-time-through-an-unknown-read': 'G-single-realtime',
  'write-skew-of-sessions': 'G-nonadjacent-process',
  'initial-read-after-newer-key': 'non-monotonic-read',
  'initial-read-before-newer-key': 'fractured-read',
  'monotonic-reads-violated': 'session-guarantee-violation',
  'read-of-own-later-write': 'future-read',
  'early-read-before-unknown-result': 'G1c',
  'read-of-later-transaction-of-session': 'G1c',
  'intermediate-read-by-later-transaction': 'G1b',
  'aborted-intermediate-read': 'G1a',
  'read-skew': 'fractured-read',
  'lost-update': 'lost-update',
  'long-fork-with-writers': 'G-nonadjacent',
  'read-only-anomaly': 'G2-item',
  'blind-writes-observed-in-opposite-orders': 'causality-violation',
  'unknown-read-and-missed': 'non-monotonic-read',
  'unknown-read-by-unknown': 'causality-violation',
  'repeated-value-does-not-help': 'non-monotonic-read',
  'exchange-lost-update': 'lost-update',
  phantom: 'fractured-read',
  'list-incompatible-orders': 'incompatible-order',
  'list-stale-read': 'session-guarantee-violation',
  'list-missing-element': 'G0',
  'list-intermediate-read': 'G1b',
  'list-blind-to-own-append': 'not-my-own-write',
  'list-aborted-read': 'G1a',
  'list-thin-air-read': 'thin-air-read',
  'list-lost-update': 'lost-update',
  'list-long-fork': 'G-nonadjacent',
  'list-write-cycle': 'G0',
  'list-non-repeatable-read': 'non-repeatable-read',
};

/** A session too long for the definitions. */
const MANY = Array.from({ length: 300 }, (_, i) => `w(z,${i + 1})`).join(' | ');

const violatedBy = (name: string): LevelName[] =>
  LEVELS.map((level) => level.name).filter((level) => namedHistory(name).verdicts[level] === 'violated');

const hasSingleKeys = (history: History): boolean => {
  const registers = toRegisters(history).history;
  return checkShape(registers, buildReadFrom(registers), 'single-keys').holds;
};

const INTERNAL: ReadonlySet<AnomalyName> = new Set(Object.values(INTERNAL_ANOMALY_NAMES).map(({ name }) => name));

describe('classify', () => {
  test.each(Object.entries(NAMES))('%s is %s at every level that it violates', (history, name) => {
    for (const level of violatedBy(history)) {
      const found = classify(namedHistory(history).history, level);
      expect(`${level}: ${found.name}`).toBe(`${level}: ${name}`);
      expect(found.leftStanding).not.toBeNull();
    }
  });

  test('every named history that violates something has a name here, but for one that shows two anomalies', () => {
    const violating = NAMED_HISTORIES.filter(({ verdicts }) => Object.values(verdicts).includes('violated'));
    expect(violating.map(({ name }) => name).filter((name) => NAMES[name] === undefined)).toEqual(['nothing-holds']);
    expect(classify(namedHistory('nothing-holds').history, 'cut-isolation').name).toBe('non-repeatable-read');
    expect(classify(namedHistory('nothing-holds').history, 'causal').name).toBe('thin-air-read');
  });

  test.each(Object.entries(NAMES))('%s, a %s, violates the levels that forbid it', (history, name) => {
    const isInternal = INTERNAL.has(name);
    const forbidding = weakestForbidding(name).filter((level) => level !== 'linearizable'); // it takes single keys
    expect(forbidding.length > 0).toBe(!isInternal);
    expect(violatedBy(history)).toEqual(expect.arrayContaining([...forbidding]));
  });

  test('the names of papers are aliases', () => {
    const aliases = (name: string, level: LevelName) => classify(namedHistory(name).history, level).aliases;
    expect(aliases('mtc-l-long-fork', 'snapshot-isolation')).toContain('LongFork');
    expect(aliases('tap-m-co-conflict-cm', 'causal')).toContain('TAP-m');
    expect(aliases('read-skew', 'serializable')).toEqual(expect.arrayContaining(['read-skew', 'A5A']));
    expect(aliases('mtc-n-write-skew', 'serializable')).toContain('A5B');
    expect(aliases('phantom', 'serializable')).toContain('P3');
    expect(aliases('mtc-m-lost-update', 'serializable')).not.toContain('P3');
  });

  test.each([
    ['the reader completes the cycle', 'r(x,0) r(y,0) w(x,1)\nr(y,0) w(y,2)\nr(x,0) r(y,2)', true],
    ['the reader follows in a session', 'r(x,0) r(y,0) w(x,1)\nr(y,0) w(y,2) | r(x,0) r(y,2)', true],
    ['no transaction only reads', 'r(x,0) r(y,0) w(x,1)\nr(x,0) r(y,0) w(y,1)', false],
    ['the writers alone have a cycle', 'r(x,0) w(y,1)\nr(y,0) w(x,1)\nr(x,1) r(y,1)', false],
    [
      'the reader only shows the order of writes',
      'r(a,0) w(x,1)\nw(x,2) r(b,0) w(a,1)\nr(x,1) w(b,1)\nr(x,2) r(b,1)',
      false,
    ],
  ])('a read-only anomaly is one without whose reader serializability holds: %s', (_, text, isOne) => {
    const { aliases } = classify(parseHistory(text), 'serializable');
    expect(aliases.includes('read-only-anomaly')).toBe(isOne);
  });

  test('classify leaves no level standing at which a read may see half of a plain write of a counter', () => {
    const halves = parseHistory('initial nil\ninc(n,1) | w(n,5)\nr(n,6)');
    expect(classify(halves, 'serializable').leftStanding).not.toContain('read-committed-dbcop');
    const increments = parseHistory('initial nil\ninc(n,1) inc(m,2)\nr(n,nil) r(m,2)');
    expect(classify(increments, 'serializable').leftStanding).toContain('read-committed-dbcop');
  });

  test('classify says which levels are ruled out and which are left standing', () => {
    for (const [name] of Object.entries(NAMES)) {
      const { history, verdicts } = namedHistory(name);
      const { ruledOut, leftStanding } = classify(history, violatedBy(name)[0]!);
      const isRuledOut = (level: LevelName): boolean => ruledOut.some((weak) => implies(level, weak));
      const isLeft = (level: LevelName): boolean => leftStanding!.some((strong) => implies(strong, level));
      for (const { name: level } of LEVELS) {
        const applies = level !== 'linearizable' || hasSingleKeys(history);
        expect(isRuledOut(level), `${name} ${level}`).toBe(applies && verdicts[level] === 'violated');
        expect(isLeft(level), `${name} ${level}`).toBe(applies && verdicts[level] === 'satisfied');
      }
    }
  });

  test('classify does not speak of linearizability where transactions of the whole history have several keys', () => {
    const fork = `w(x,1)
w(y,1)
r(x,1) | r(y,0)
r(y,1) | r(x,0)`;
    const part = parseHistory(fork);
    const whole = parseHistory(`${fork}\nw(y,2) w(z,1)`);
    expect(classify(part, 'serializable').leftStanding).toContain('linearizable');
    expect(classify(part, 'serializable', null, whole).leftStanding).not.toContain('linearizable');
  });

  test('classify takes from a large history the transactions of the anomaly, and goes by the name where that is too much', () => {
    const history = h`r(x,0) w(x,1)
r(x,0) w(x,2)
${MANY}`;
    const found = classify(history, 'snapshot-isolation', { name: 'G-single', transactions: [0, 1] });
    expect(found).toMatchObject({ name: 'lost-update', leftStanding: ['prefix'] });
    const whole = classify(history, 'snapshot-isolation', { name: 'G-nonadjacent', transactions: [] });
    expect(whole).toMatchObject({ name: 'G-nonadjacent', ruledOut: ['prefix'], leftStanding: null });
    expect(() => classify(history, 'snapshot-isolation')).toThrow(RangeError);
  });

  test('classify goes by a name only to levels that it rules out wherever it occurs', () => {
    for (const [history, name] of Object.entries(NAMES)) {
      const { verdicts } = namedHistory(history);
      const { leftStanding, ruledOut } = classify(h`${MANY}`, violatedBy(history)[0]!, { name, transactions: [] });
      expect(leftStanding).toBeNull();
      expect(ruledOut.filter((level) => verdicts[level] === 'satisfied')).toEqual([]);
    }
  });

  test.each<[AnomalyName, string[]]>([
    ['lost-update', ['adya-snapshot-isolation', 'linearizable']],
    ['incompatible-order', ['read-committed-pl2', 'linearizable']],
    ['duplicate-elements', ['read-committed-pl2', 'linearizable']],
  ])('%s concerns one key, and so rules out linearizability, too', (name, ruledOut) => {
    const found = classify(h`${MANY}`, ruledOut[0] as LevelName, { name, transactions: [] });
    expect(found).toMatchObject({ ruledOut, leftStanding: null });
  });

  test('a level that the anomaly was found to violate is ruled out', () => {
    const { ruledOut } = classify(h`${MANY}`, 'linearizable', { name: 'G-single', transactions: [] });
    expect(ruledOut).toEqual(['snapshot-isolation', 'linearizable']);
  });

  test('every name that classification gives is registered', () => {
    for (const name of Object.values(NAMES)) expect(findAnomaly(name)?.name).toBe(name);
    for (const { name } of ALL_ANOMALIES) {
      const known = classify(h`r(x,?)`, 'serializable', { name, transactions: [] });
      expect([name, known.ruledOut.length]).not.toEqual([name, 0]);
    }
  });

  test.each([
    ['registers', { aborted: true, times: true }],
    ['unknown outcomes', { unknown: true, times: true }],
    ['repeated values', { repeatedValues: true, transactions: 4 }],
    ['lists', { lists: true, aborted: true, transactions: 4 }],
  ] as const)('classify decides every level as the definitions do: %s', (_, bounds) => {
    let decided = 0;
    fc.assert(
      fc.property(arbitraryHistory(bounds), (history) => {
        const found = decideLevels(toRegisters(history).history);
        if (found === null) return;
        decided++;
        expect(found.open.size).toBe(0);
        const satisfied = LEVELS.map(({ name }) => name).filter((name) => found.satisfied.has(name));
        expect([printHistory(history), satisfied]).toEqual([printHistory(history), levelsSatisfied(history)]);
      }),
      { numRuns: 150, seed: 5 },
    );
    expect(decided).toBeGreaterThan(100);
  });

  test('classify finds a name for every violation of a level', () => {
    fc.assert(
      fc.property(arbitraryHistory({ aborted: true, times: true }), (history) => {
        const satisfied = new Set(levelsSatisfied(history));
        for (const { name } of LEVELS.filter((level) => !satisfied.has(level.name)))
          expect(findAnomaly(classify(history, name).name)).not.toBe(null);
      }),
      { numRuns: 60, seed: 3 },
    );
  });
});

describe('summarise', () => {
  test('summarise lists each kind once, the most frequent first, with its smallest example', () => {
    const anomalies = [
      { name: 'G1c', transactions: [1, 2, 3] },
      { name: 'lost-update', transactions: [4, 5] },
      { name: 'G1c', transactions: [6, 7] },
    ] as const;
    expect(summarise(anomalies)).toEqual([
      { name: 'G1c', count: 2, example: anomalies[2] },
      { name: 'lost-update', count: 1, example: anomalies[1] },
    ]);
    expect(summarise([])).toEqual([]);
  });

  test('summarise uses the names of classification, as far as requested', () => {
    const history = h`r(x,0) w(x,1)
r(x,0) w(x,2)
r(y,0) w(y,1)
r(y,0) w(y,2)
r(z,9)`;
    const anomalies = [
      { name: 'G-single', transactions: [0, 1] },
      { name: 'G2-item', transactions: [2, 3] },
      { name: 'thin-air-read', transactions: [4] },
    ] as const;
    const kinds = (classified: number) =>
      survey(history, 'snapshot-isolation', anomalies, { classified }).map(({ name, count }) => [name, count]);
    expect(kinds(10)).toEqual([
      ['lost-update', 2],
      ['thin-air-read', 1],
    ]);
    expect(kinds(1)).toEqual([
      ['G2-item', 1],
      ['lost-update', 1],
      ['thin-air-read', 1],
    ]);
  });

  test.each([
    // T1 returned before T2 was called, which misses T1.
    ['stale-read', 'strict-serializable', 'w(x,1) @1-2\nr(x,0) @3-4'],
    // T1 returned before T2 was called, whose write T3 sees, but not T1’s.
    ['G-single-realtime', 'strict-serializable', 'w(x,1) @1-2\nw(y,1) @3-9\nr(y,1) r(x,0) @1-9'],
    // Each misses the next one, and the last one returned before the first was called.
    ['G2-item-realtime', 'strict-serializable', 'r(y,0) w(z,1) @5-6\nr(x,0) w(y,1) @1-9\nw(x,1) @1-2'],
    ['G2-item-process', 'serializable', 'r(x,0) w(y,1)\nw(x,1) | r(z,0)\nr(y,0) w(z,1)'],
    ['G2-item', 'serializable', 'r(x,0) w(y,1)\nr(y,0) w(x,1)'],
  ] as const)('a cycle is named by its edges: %s', (name, level, text) => {
    const history = parseHistory(text);
    const found = classify(history, level);
    expect([found.name, found.leftStanding]).toEqual([name, expect.any(Array)]);
  });
});
