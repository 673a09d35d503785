import { type History, type TransactionId, showTransaction, toPlain } from '@isolab/history';
import { parseHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { type PredictOptions, predict } from '../src/index.ts';

const predicted = (text: string, options: Partial<PredictOptions> = {}) =>
  predict(parseHistory(text), { weaker: 'read-committed', stronger: 'serializable', boundary: 'relaxed', ...options });

const shownIn = (history: History): string[] =>
  Array.from(history.txnStatus.keys(), (t) => showTransaction(history, t as TransactionId));

const INCREMENTS = 'r(x,0) w(x,1)\nr(x,1) w(x,2)';
const THRICE = 'r(y,0) w(x,1)\nr(x,1) r(x,1) r(x,1) w(y,1)';
const ROWS = 'initial nil t/71={n: 0} u/72={m: 30}\n';
const CHANGED = 'scan(t, n > 5, {}) put(u/72, {m: 31})\nget(u/72, {m: 31}) put(t/71, {n: 1})\n';
const RENEWED = 'initial nil t/71={n: 9} u/72={m: 30}\n';
const READ = `put(t/71, {n: 2}) put(u/72, {m: 31})
put(t/71, {n: 7})
get(u/72, {m: 31}) scan(t, n > 5, {71: {n: 7}})`;
const SEEN_AT_ONCE = `initial nil t/71={n: 6} t/72={n: 7}
put(t/71, {n: 8}) put(t/72, {n: 9})
scan(t, n > 5, {71: {n: 8}, 72: {n: 9}})`;
const AUDITS = 'w(x,1)\nw(y,1)\nr(x,1) r(y,1)\nr(x,1) r(y,1)';

describe('a serial history', () => {
  test.each<[string, string, Partial<PredictOptions>, string[]]>([
    ['may lose an update at read committed', INCREMENTS, {}, ['lost-update']],
    ['loses no update at snapshot isolation', INCREMENTS, { weaker: 'snapshot-isolation' }, []],
    ['shows no lost update before the first changed value', INCREMENTS, { boundary: 'strict' }, []],
    [
      'may show a write skew at snapshot isolation',
      'r(x,0) r(y,0) w(x,1)\nr(x,1) r(y,0) w(y,2)',
      { weaker: 'snapshot-isolation' },
      ['G2-item'],
    ],
    ['may show a long fork at causal', AUDITS, { weaker: 'causal' }, ['G-nonadjacent']],
    ['needs two changes for a long fork', AUDITS, { weaker: 'causal', mostChanges: 1 }, []],
    [
      'may show a write skew after three changes',
      THRICE,
      { weaker: 'snapshot-isolation', mostChanges: 3 },
      ['G2-item'],
    ],
    ['shows no write skew after two of three changes', THRICE, { weaker: 'snapshot-isolation' }, []],
    ['shows no long fork at prefix consistency', AUDITS, { weaker: 'prefix' }, []],
    ['of readers cannot change', 'r(x,0)\nr(x,0) r(y,0)', {}, []],
    ['loses no update of single operations', 'cas(x,0,1)\ncas(x,1,2)', {}, []],
  ])('%s', async (_, text, options, anomalies) => {
    const { predictions, gaps } = await predicted(text, options);
    expect(predictions.map(({ anomaly }) => anomaly)).toEqual(anomalies);
    expect(gaps).toEqual([]);
  });

  test.each<[string, string, Partial<PredictOptions>, string[]]>([
    ['an equal value is no anomaly', 'r(x,0) w(y,1)\nw(x,0) r(y,1)', {}, []],
    ['another value is one', 'r(x,0) w(y,1)\nw(x,2) r(y,1)', {}, ['G2-item']],
    ['a scan sees no change between rows that do not match', `${ROWS}${CHANGED}put(t/71, {n: 9})`, {}, []],
    ['a scan sees a row that begins to match', ROWS + CHANGED.replace('{n: 1}', '{n: 7}'), {}, ['G2']],
    [
      'several may explain that a scan misses a row',
      `${RENEWED}put(t/71, {n: 1})\nget(t/71, {n: 1}) ${READ}`,
      {},
      ['G-single'],
    ],
    ['only one explains it', RENEWED + READ, {}, ['fractured-read']],
    ['a scan sees two versions at once', SEEN_AT_ONCE, { boundary: 'strict', mostChanges: 1 }, ['fractured-read']],
  ])('some versions look the same: %s', async (_, text, options, anomalies) => {
    const { predictions, gaps } = await predicted(text, options);
    expect([predictions.map(({ anomaly }) => anomaly), gaps]).toEqual([anomalies, []]);
  });

  test('a row that a scan no longer returns is said to match no more', async () => {
    const { predictions } = await predicted(RENEWED + READ);
    expect(predictions[0]!.changes.map((change) => change.predicted)).toEqual([
      'r(u/72, {m: 30})',
      'r(t/71 where n > 5, false)',
    ]);
    expect(toPlain(predictions[0]!.history).sessions.at(-1)!.transactions[0]!.operations).toMatchObject([
      { kind: 'read', key: 'u/72' },
      { kind: 'scan', table: 't', where: ['>', 'n', 5], rows: [] },
    ]);
  });

  test('larger sets of changes are tried while their time lasts', async () => {
    const options = { weaker: 'snapshot-isolation', mostChanges: 1 } as const;
    expect(await predicted(THRICE, options)).toMatchObject({ predictions: [], covered: 1, gaps: [] });
    const { predictions, covered } = await predicted(THRICE, { ...options, furtherMs: 60_000 });
    expect([predictions[0]!.changes.length, covered]).toEqual([3, Infinity]);
  });

  test('a prediction names the changed read, the recorded and the predicted version', async () => {
    const { predictions } = await predicted(INCREMENTS);
    expect(predictions[0]!.changes).toMatchObject([
      {
        transaction: 'transaction 1 of session 1',
        recorded: 'r(x, 1)',
        predicted: 'r(x, 0)',
        version: 'the initial version',
      },
    ]);
  });
});

test('a session ends where a later key equals a changed value', async () => {
  const text = 'w(x,3) w(y,4)\nr(x,3) r(y,4) w(3,1)';
  const { predictions } = await predicted(text, { boundary: 'data-flow' });
  expect(predictions.flatMap(({ cut }) => cut)).toContain('transaction 1 of session 1');
});

test('times, lists and levels of single operations are refused', async () => {
  await expect(predicted('r(x,0) r(y,0)', { weaker: 'linearizable' })).rejects.toThrow('compares single operations');
  await expect(predicted('a(x,1)\nr(x,[1])')).rejects.toThrow('operations of the kind append');
  await expect(predicted(INCREMENTS, { stronger: 'strict-serializable' })).rejects.toThrow('compares times');
  await expect(predicted('r(x,1) r(x,7)')).rejects.toThrow('violates read-committed itself');
});

test('a signal ends the search, and the result says so', async () => {
  const tried: number[] = [];
  const onProgress = (count: number): void => void tried.push(count);
  const { gaps } = await predicted(INCREMENTS, { signal: AbortSignal.abort(), onProgress });
  expect([gaps, tried]).toEqual([['interruption'], [0]]);
});

test('no verdict on the recorded history in time is an incomplete search', async () => {
  const { predictions, gaps, covered } = await predicted(INCREMENTS, { timeMs: 0 });
  expect([predictions, gaps, covered]).toEqual([[], ['time'], 0]);
});

test('a search that ends too early says so', async () => {
  const { predictions, gaps } = await predicted(INCREMENTS, { furthest: 0 });
  expect([predictions, gaps]).toEqual([[], ['distant versions']]);
});

describe('aggregates', () => {
  const DOCTORS = 'initial nil d/1={on: 1} d/2={on: 1}\n';

  test.each([
    ['count(d, on = 1, 2) put(d/1, {on: 0})\ncount(d, on = 1, 1) put(d/2, {on: 0})', 'count(d where on = 1: 2)'],
    ['sum(d, true, on, 2) put(d/1, {on: 0})\nsum(d, true, on, 1) put(d/2, {on: 0})', 'sum of on(d where true: 2)'],
    ['min(d, true, on, 1) put(d/1, {on: 0})\nmin(d, true, on, 0) put(d/2, {on: 0})', 'min of on(d where true: 1)'],
  ])('the result is computed again: %s', async (text, result) => {
    const { predictions, gaps, leftOut } = await predicted(DOCTORS + text);
    expect([gaps, leftOut]).toEqual([[], 0]);
    expect(predictions.flatMap(({ changes }) => changes)).toMatchObject([
      { predicted: result, version: 'with the initial version of d/1' },
    ]);
    expect(predictions[0]!.replayable).toBe('an aggregate reads several rows');
  });

  test('increments of counters are neither rows nor parameters', async () => {
    const { predictions } = await predicted('inc(n,1) r(n,1)\nr(n,1) inc(n,1)\nr(n,2)');
    expect(predictions).toMatchObject([
      {
        programs: ['r(n) inc(n)', 'inc(n) r(n)'],
        changes: [{ predicted: 'r(n, 0)', version: 'without the increment of transaction 1 of session 0' }],
      },
    ]);
    const shown = shownIn(predictions[0]!.history).map((each) => each.replace(/w\(n, \d+\) /, ''));
    expect(shown).toEqual(['inc(n, 1) r(n, 1)', 'r(n, 0) inc(n, 1)']);
  });

  test('a session ends where a later key equals a result that changed', async () => {
    const text = `${DOCTORS}count(d, on = 1, 2) put(d/1, {on: 0})\ncount(d, on = 1, 1) put(d/2, {on: 0}) w(1,7)`;
    const { predictions } = await predicted(text, { boundary: 'data-flow' });
    expect(predictions.map(({ cut }) => cut)).toEqual([['transaction 1 of session 1']]);
  });

  test('an aggregate that includes an own row with unknown contents is left out', async () => {
    const text = `${DOCTORS}r(x,nil) w(x,1)\nr(x,1) put(d/2, {on: 1}) count(d, on = 1, 2) w(x,2)`;
    const { predictions } = await predicted(text);
    expect(shownIn(predictions[0]!.history)).toEqual(['r(x, nil) w(x, 1)', 'r(x, nil) w(d/2, {on: 1}) w(x, 2)']);
  });

  test('without a serial order of the recording, transactions with aggregates are left out', async () => {
    const text = `${DOCTORS}r(x,nil) w(y,1)\nr(y,nil) w(x,1)\nput(d/1, {on: 0})\ncount(d, on = 1, 1) w(x,2)`;
    const { predictions, gaps, leftOut } = await predicted(text);
    expect([predictions, gaps, leftOut]).toEqual([[], ['aggregates'], 1]);
  });
});

test('a change may make another version unknown, which then cuts its reader before a contradiction', async () => {
  const text = `initial nil t/1={n: 1, to: 2}
get(t/1, {n: 100, to: 2}) put(t/1, {n: 101, to: 1}) | put(t/1, {n: 102, to: 1})
put(t/1, {n: 100, to: 2}) | get(t/1, {n: 102, to: 1}) get(t/1, {n: 102, to: 1})`;
  const { predictions } = await predicted(text, { weaker: 'prefix', boundary: 'data-flow' });
  expect(predictions.map(({ changes, cut }) => [changes.length, cut])).toEqual([[2, ['transaction 2 of session 1']]]);
});
