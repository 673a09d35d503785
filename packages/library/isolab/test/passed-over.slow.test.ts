// Slow: makes and proves histories whose scans passed over a million rows.
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type CheckResult,
  type Opened,
  certificate,
  check,
  findAll,
  generate,
  open,
  shrink,
  story,
  verify,
} from '../src/index.ts';
import { openedHistory } from '../src/open.ts';

/** A history whose scans passed over more than a million rows, so that evidence names those that it rests on. */
describe('a history whose scans passed over very many rows', () => {
  let opened: Opened;
  let result: CheckResult;
  beforeAll(async () => {
    const { history } = await generate({
      workload: 'rows',
      parameters: { rows: '1000', values: '20' },
      transactions: 20,
      faults: { 'stale-snapshot': 0.05 },
    });
    opened = openedHistory(history, { name: 'rows', format: 'simulator', ms: 0 });
    result = await check(opened, { level: 'serializable' });
  });

  test('a violation is proved', () => {
    const file = certificate(opened, result);
    expect(file).toMatchObject({ verdict: 'violated', passedOver: expect.any(Array) as unknown });
    expect(verify(opened, JSON.parse(JSON.stringify(file)))).toMatchObject({ ok: true });
  });

  test('a violation is shrunk and explained', async () => {
    const shrunk = await shrink(opened, result);
    expect(shrunk).toMatchObject({ isMinimal: true, stopped: null });
    expect(shrunk.history.txnStatus.length).toBeLessThan(7);
    expect((await story(opened, result))?.summary).toMatch(/does not see/);
    expect((await story(opened, result, { whole: true }))?.summary).toMatch(/does not see/);
  });

  test('an incomplete list of findings is not called complete', async () => {
    const found = await findAll(opened, result, { timeMs: 5000 });
    expect(found.complete).toBe(false);
    expect(found.anomalies.length).toBeGreaterThan(0);
  });

  test('rows that were passed over are named where a violation rests on them', async () => {
    const rows = Array.from({ length: 1100 }, (_, i) => `a/${i}`);
    const text = [
      `initial nil b/0={v: 0} ${rows.map((row) => `${row}={on: false}`).join(' ')}`,
      `${rows.map((row) => `put(${row}, {on: true})`).join(' ')} put(b/0, {v: 1})`,
      `get(b/0, {v: 1}) scan(a, on = true, {})`,
      Array.from({ length: 1000 }, () => 'scan(a, on = true, {})').join(' '),
    ];
    const many = await open({ text: text.join('\n') }, { format: 'notation' });
    const checked = await check(many, { level: 'serializable' });
    const file = certificate(many, checked);
    expect(file).toMatchObject({ verdict: 'violated', passedOver: [[1102, rows.toSorted()]] });
    expect(verify(many, file)).toMatchObject({ ok: true });
    expect(verify(many, { ...file, passedOver: [] })).toMatchObject({ ok: false });
    // Also where there was no time to leave anything out.
    expect((await story(many, checked, { signal: AbortSignal.abort() }))?.isPart).toBe(true);
    expect((await story(many, checked))?.summary).toMatch(/scan of a/);
  });
});
