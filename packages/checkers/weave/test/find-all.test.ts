import { type InputOf, type LevelName, type RunContext, Stop, type Verdict } from '@isolab/contract';
import { verifyCertificate, verifyEvidence } from '@isolab/verifier';
import { type PlainOperation, fromPlain, rowName, textOfRow, toRegisters, transactionOf } from '@isolab/history';
import { TestContext, defaultsOf, h, prepare } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { readsOf } from '../src/proof/find-all.ts';
import { weave } from '../src/weave.ts';

const OPTIONS = defaultsOf(weave);

const check = (history: Parameters<typeof prepare>[0], level: LevelName, run: Partial<RunContext> = {}): Verdict =>
  decide(prepare(history), level, run);

function decide(input: InputOf<'history' | 'scans'>, level: LevelName, run: Partial<RunContext> = {}): Verdict {
  const context = { ...new TestContext({ findAll: true }), ...run };
  return weave.check(input, level, OPTIONS, context) as Verdict;
}

// Two lost updates, a write skew, and a read that sees a version that its writer overwrote.
const history = h`r(x,0) w(x,1)
  r(x,0) w(x,2)
  r(y,0) w(y,1)
  r(y,0) w(y,2)
  r(a,0) r(b,0) w(a,1)
  r(a,0) r(b,0) w(b,1)
  w(z,1) w(z,2)
  r(z,1)`;

// The third transaction of the first session read an aborted value, as did the open one, which thus writes no 0.
const withImpossible = h`!w(y,3)
  w(x,3) r(y,0) | w(y,1) w(y,2) r(x,0) r(y,2) | ?w(x,1) w(x,3) r(y,3) w(x,0) | w(x,3) r(y,3) w(x,0)`;

describe('all anomalies at a strong level', () => {
  test('all anomalies at a strong level are certified where a transaction that cannot have happened wrote a version that was read', () => {
    const { history: lowered } = toRegisters(withImpossible);
    const verdict = check(lowered, 'prefix');
    if (verdict.status !== 'violated') throw new Error(verdict.status);
    expect(verdict.anomalies).toHaveLength(2);
    for (const { certificate } of verdict.anomalies)
      expect(verifyCertificate(lowered, 'prefix', 'violated', certificate!)).toEqual({ ok: true });
  });

  test('all anomalies at a strong level are reported, each with evidence of its own, and no two rest on the same read', () => {
    const verdict = check(history, 'serializable');
    if (verdict.status !== 'violated') throw new Error(verdict.status);
    expect(verdict.anomalies.map(({ name }) => name).toSorted()).toEqual([
      'G1b',
      'G2-item',
      'lost-update',
      'lost-update',
    ]);
    const reads = new Set<string>();
    for (const { certificate } of verdict.anomalies) {
      expect(verifyCertificate(history, 'serializable', 'violated', certificate!)).toEqual({ ok: true });
      for (const op of readsOf(certificate!)) {
        const read = `${transactionOf(history, op)} ${history.opKey[op]}`;
        expect(reads).not.toContain(read);
        reads.add(read);
      }
    }
    expect(check(history, 'serializable', { findAll: false })).toMatchObject({ anomalies: [{ name: 'G1b' }] });
  });

  test('all anomalies at a strong level are only those that the level forbids', () => {
    const verdict = check(history, 'snapshot-isolation');
    if (verdict.status !== 'violated') throw new Error(verdict.status);
    expect(verdict.anomalies.map(({ name }) => name).toSorted()).toEqual(['G1b', 'lost-update', 'lost-update']);
  });

  test('all anomalies at a strong level come without certificates where none are wanted', () => {
    const verdict = check(history, 'serializable', { certify: false });
    if (verdict.status !== 'violated') throw new Error(verdict.status);
    expect(verdict.anomalies).toHaveLength(4);
    for (const anomaly of verdict.anomalies) expect(anomaly).not.toHaveProperty('certificate');
    expect(check(h`w(x,1) | r(x,1)`, 'serializable', { certify: false })).toEqual({ status: 'satisfied' });
  });

  test('all anomalies at a strong level that were found stay found when the budget is spent', () => {
    let constructed = 0;
    const stage = (name: string): void => {
      if (name === 'construct') constructed++;
    };
    const tick = (): void => {
      if (constructed > 2) throw new Stop('steps');
    };
    const verdict = check(history, 'serializable', { stage, tick });
    if (verdict.status !== 'violated') throw new Error(verdict.status);
    expect(verdict.anomalies).toHaveLength(2);
    expect(() =>
      check(history, 'serializable', {
        tick: () => {
          throw new Stop('steps');
        },
      }),
    ).toThrow(Stop);
  });

  test('all anomalies at a strong level are reported of scans, each with evidence of its own, and no two rest on the same scan', () => {
    const put = (id: number, x: number): PlainOperation => ({
      kind: 'write',
      key: rowName('t', BigInt(id)),
      value: textOfRow({ id, x }),
    });
    const missed = (x: number): PlainOperation => ({
      kind: 'scan',
      table: 't',
      where: ['=', 'x', x],
      rows: [],
      aggregate: null,
    });
    // Each pair is a write skew: both insert rows that the scan of the other did not return; the first pair two rows
    // each.
    const transactions = [
      [missed(1), put(1, 2), put(2, 2)],
      [missed(2), put(3, 1), put(4, 1)],
      [missed(3), put(5, 4)],
      [missed(4), put(6, 3)],
      [missed(7)],
    ];
    const withScans = fromPlain({
      tables: ['t'],
      sessions: transactions.map((operations, s) => ({
        name: BigInt(s),
        transactions: [{ status: 'committed' as const, operations }],
      })),
    });
    const input = { ...prepare(toRegisters(withScans, new Map()).history), kind: 'scans' as const, withScans };
    const verdict = decide(input, 'serializable');
    if (verdict.status !== 'violated') throw new Error(verdict.status);
    expect(verdict.anomalies.map((each) => each.transactions.toSorted())).toEqual([
      [0, 1],
      [2, 3],
    ]);
    for (const { certificate, passedOver } of verdict.anomalies)
      expect(
        verifyEvidence(withScans, 'serializable', 'violated', { certificate: certificate!, passedOver }),
      ).toMatchObject({
        ok: true,
      });
    expect(decide(input, 'serializable', { certify: false })).toEqual({
      status: 'violated',
      anomalies: verdict.anomalies.map(({ name, transactions: ts }) => ({ name, transactions: ts })),
    });
    expect(decide(input, 'snapshot-isolation')).toMatchObject({ status: 'satisfied' });
  });
});
