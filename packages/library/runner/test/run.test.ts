import type { Checker } from '@isolab/contract';
import { findInternalAnomalies, buildReadFrom } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { howProcessEnded } from '../src/in-process.ts';
import { prepare, run } from '../src/index.ts';
import { PLACES, loadFixture, runMood, smallHistory, sum, withoutTimes } from './support/moody.ts';

describe('a report', () => {
  test.each(PLACES)('a report from a %s says everything about the run', async (place) => {
    const report = await runMood('prepared', place);
    expect(withoutTimes(report)).toEqual({
      checker: 'moody',
      checkerVersion: '0.0.1',
      level: 'serializable',
      variant: null,
      options: { mood: 'prepared', maxRounds: 3, pruning: true },
      place,
      history: { sessions: 3, transactions: 3, operations: 6, keys: 1 },
      lowered: false,
      verdict: { status: 'satisfied', certificate: { kind: 'inspection' } },
      supposing: null,
      proof: 'not checked',
      isPlugin: false,
      plugin: null,
      evidence: {
        kind: 'history',
        transactions: 3,
        sessions: 3,
        reads: 4,
        ambiguousReads: 0,
        repeatedReads: 1,
        meetings: 3,
        overlappingSessions: null,
        timed: 0,
        begun: 0,
        ended: 0,
        begunOrEnded: 0,
        cutOffAfterLine: null,
        plainWritesOfCounters: 0,
        failedCompareAndSets: 0,
        opaqueScans: 0,
      },
      stages: ['construct', 'solve'],
      counters: { edges: 7, conflicts: 1 },
      steps: 15,
      wallMs: null,
      cpuMs: null,
      startMs: null,
      peakRssBytes: null,
      error: null,
      notes: [],
    });
    expect(report.stages[0]!.ms).toBeGreaterThan(15);
    expect(report.stages[1]!.ms).toBeGreaterThan(200);
    expect(sum(report.stages.map(({ ms }) => ms))).toBeCloseTo(report.wallMs, 1);
    expect(report.cpuMs).toBeGreaterThan(0);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  test('times stages on one clock: they do not nest, continue when entered again, and add up', async () => {
    let clock = 1000;
    const { checker: moody } = await loadFixture('moody-checker.mjs');
    const staged: Checker = {
      ...moody,
      check: (_input, level, _options, { stage }) => {
        clock += 1; // before the first stage: part of it
        for (const [name, ms] of [
          ['construct', 10],
          ['solve', 20],
          ['construct', 300],
        ] as const) {
          if (level === 'serializable') stage(name);
          clock += ms;
        }
        return { status: 'satisfied' };
      },
    };
    const job = { checker: { checker: staged, url: null }, prepared: prepare(smallHistory()) };
    const { stages, wallMs } = await run({ ...job, level: 'serializable' }, { now: () => clock });
    expect(stages).toEqual([
      { name: 'construct', ms: 311 },
      { name: 'solve', ms: 20 },
    ]);
    expect(wallMs).toBe(331);
    expect(await run({ ...job, level: 'causal' }, { now: () => clock })).toMatchObject({
      stages: [{ name: 'check', ms: 331 }],
      wallMs: 331,
    });
  });

  test.each(PLACES)('from a %s is the same again, times apart', async (place) => {
    const prepared = prepare(smallHistory());
    const first = await runMood('describing', place, {}, prepared);
    expect(withoutTimes(await runMood('describing', place, {}, prepared))).toEqual(withoutTimes(first));
  });

  test.each(PLACES)('a report comes from the same history, index and anomalies in a %s', async (place) => {
    const history = smallHistory();
    const index = buildReadFrom(history);
    const internal = findInternalAnomalies(history, index);
    expect(internal.count).toBe(1);
    const { counters } = await runMood('describing', place, {}, prepare(history));
    expect(counters).toEqual({
      operations: 6,
      reads: 4,
      readFrom: sum([...index.readFrom]),
      internal: 1,
      'non-repeatable-read': 1 + internal.at(0).read,
      'counted non-repeatable-read': 1,
    });
  });

  test('a report names the variant and its options', async () => {
    const checker = await loadFixture('moody-checker.mjs');
    const report = await run({ checker, prepared: prepare(smallHistory()), level: 'causal', variant: 'one-round' });
    expect(report).toMatchObject({
      variant: 'one-round',
      options: { mood: 'satisfied', maxRounds: 1, pruning: false },
    });
  });

  test('a report comes from a checker that knows whether to certify and to find all', async () => {
    expect((await runMood('certifying', 'thread')).verdict).toMatchObject({ detail: 'true false' });
    const report = await runMood('certifying', 'process', { certify: false, findAll: true });
    expect(report.verdict).toMatchObject({ detail: 'false true' });
  });

  test('the output of a checker does not reach standard output', async () => {
    const written: string[] = [];
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = ((text: string) => written.push(text) > 0) as typeof process.stdout.write;
    try {
      expect((await runMood('printing', 'worker')).verdict.status).toBe('satisfied');
      expect((await runMood('printing', 'process')).verdict.status).toBe('satisfied');
    } finally {
      process.stdout.write = write;
    }
    expect(written.join('')).not.toContain('to standard output');
  });
});

describe('a checker that fails', () => {
  test.each(PLACES)('a checker that fails by throwing in a %s has crashed, with its stack kept', async (place) => {
    for (const mood of ['throwing', 'rejecting']) {
      const report = await runMood(mood, place);
      expect(report.verdict).toEqual({ status: 'unknown', reason: 'crashed', detail: 'TypeError: my bug' });
      expect(report.error).toMatchObject({ name: 'TypeError', message: 'my bug' });
      expect(report.error!.stack).toContain('moody-checker.mjs');
    }
  });

  test.each([
    ['worker', 'throwing-later', 'TypeError: my bug'],
    ['process', 'throwing-later', 'TypeError: my bug'],
    ['worker', 'exiting', 'the checker ended its thread (exit code 7)'],
    ['process', 'exiting', 'the checker ended its thread (exit code 7)'],
    ['process', 'killing', 'the process was killed by SIGKILL'],
    ['worker', 'waiting', 'waits for a promise that never settles'],
    ['process', 'waiting', 'waits for a promise that never settles'],
    ['thread', 'throwing-null', 'thrown: null'],
    ['worker', 'throwing-null', 'thrown: null'],
    ['process', 'recursing', 'Maximum call stack size exceeded'],
    ['thread', 'ticking-backwards', 'tick takes a number of steps, not -1'],
    ['thread', 'too-many-stages', "More than 64 different stages: 'stage 64' exceeds the limit."],
  ] as const)('a checker that fails in a %s by %s has crashed', async (place, mood, detail) => {
    const report = await runMood(mood, place);
    expect(report.verdict).toMatchObject({ status: 'unknown', reason: 'crashed' });
    expect(report.verdict).toHaveProperty('detail', expect.stringContaining(detail));
  });

  test.each([
    ['nothing', 'it returned undefined, expected a verdict'],
    ['a-boolean', 'it returned boolean, expected a verdict'],
    ['no-status', 'the status undefined, expected satisfied, violated or unknown'],
    ['no-anomaly', 'its verdict is violated, but names no anomaly'],
    ['no-reason', 'with the reason "tired", expected one of timeout'],
    [
      'unknown-anomaly',
      'anomaly 2 of its verdict is named "bad-luck", which is not the name of an anomaly: known names are',
    ],
    ['alias-of-anomaly', "write 'lost-update'"],
    ['no-transactions', '(lost-update) does not list its transactions'],
    ['unknown-transaction', 'names transaction 99, expected numbers from -1 to 2'],
    ['a-typed-array', 'certificate.order is a Int32Array, expected plain objects and lists'],
    ['a-function', 'certificate.verify is a function, which JSON cannot represent'],
    ['a-bigint', 'certificate.order[0] is a bigint, which JSON cannot represent'],
    ['a-circle', 'anomalies[0].certificate.ifFirst.ifFirst contains itself'],
  ])('a checker that fails by returning nonsense has crashed: %s', async (mood, detail) => {
    const { verdict } = await runMood(mood, 'thread');
    expect(verdict).toMatchObject({ status: 'unknown', reason: 'crashed' });
    expect(verdict).toHaveProperty('detail', expect.stringMatching(/^moody: /));
    expect(verdict).toHaveProperty('detail', expect.stringContaining(detail));
  });

  test.each(['worker', 'process'] as const)(
    'a checker that fails by returning nonsense in a %s says the same',
    async (place) => {
      const inThread = await runMood('a-function', 'thread');
      expect((await runMood('a-function', place)).verdict).toEqual(inThread.verdict);
    },
  );
});

test('the failure is reported from the stack with which Node ends', () => {
  const tail =
    '# node[1]: at ../src/node_platform.cc:518\n#  Assertion failed: (data.first) != nullptr\n\n1: 0xcb node::Assert\n';
  expect(howProcessEnded({ code: null, signal: 'SIGABRT', tail })).toBe(
    'the process was killed by SIGABRT; it said: #  Assertion failed: (data.first) != nullptr',
  );
});

test('an answer counts, although the process dies while the thread of the checker is ended', async () => {
  const reports = await Promise.all(['', '', '', ''].map(() => runMood('answering-and-dying', 'process')));
  expect(reports.map(({ verdict }) => verdict.status)).toEqual(reports.map(() => 'satisfied'));
});

describe('a deep certificate', () => {
  test.each(PLACES)('a deep certificate comes through from a %s', async (place) => {
    const { verdict, notes } = await runMood('nested-deep', place);
    expect(notes).toEqual([]);
    expect(JSON.stringify(verdict).match(/ifFirst/g)).toHaveLength(900);
  });

  test.each(PLACES)(
    'a deep certificate that JSON cannot represent is left out in a %s, and the verdict stays',
    async (place) => {
      const { verdict, notes } = await runMood('nested-too-deep', place);
      expect(verdict).toEqual({
        status: 'violated',
        anomalies: [{ name: 'lost-update', transactions: [0, 1] }],
        uncertified: 'size',
      });
      expect(notes).toEqual(['The certificates were dropped: nested 50004 deep, more than the limit of 1000.']);
    },
  );
});

describe('a verdict without a certificate that was asked for', () => {
  const judged = async (verdict: unknown, certify = true) => {
    const { checker: moody } = await loadFixture('moody-checker.mjs');
    const checker = { ...moody, check: () => verdict } as Checker;
    const job = { checker: { checker, url: null }, prepared: prepare(smallHistory()), level: 'causal' } as const;
    return (await run(job, { certify })).verdict;
  };
  const violated = { status: 'violated', anomalies: [{ name: 'lost-update', transactions: [0, 1] }] };

  test('a verdict without a certificate that was asked for says why, in the words of the host where the checker says nothing', async () => {
    expect(await judged({ status: 'satisfied' })).toEqual({ status: 'satisfied', uncertified: 'unstated' });
    expect(await judged(violated)).toEqual({ ...violated, uncertified: 'unstated' });
    expect(await judged({ ...violated, uncertified: 'solver' })).toEqual({ ...violated, uncertified: 'solver' });
    expect(await judged(violated, false)).toEqual(violated);
  });

  test.each([['because'], ['constructor'], [7], [null]])(
    'a verdict without a certificate that was asked for is none if it gives a reason that is none: %j',
    async (reason) => {
      expect(await judged({ ...violated, uncertified: reason })).toMatchObject({
        status: 'unknown',
        reason: 'crashed',
        detail: expect.stringContaining(
          `its reason for having no certificate is ${JSON.stringify(reason)}, expected one of solver, search,`,
        ) as string,
      });
    },
  );
});

test('a checker that was not loaded from a file runs in this thread only', async () => {
  const { checker } = await loadFixture('moody-checker.mjs');
  const job = { checker: { checker, url: null }, prepared: prepare(smallHistory()), level: 'causal' } as const;
  expect((await run(job)).verdict.status).toBe('satisfied');
  await expect(run(job, { place: 'worker' })).rejects.toThrow(
    'To run in a worker, moody must be loaded with loadChecker',
  );
});
