import type { FoundAnomaly, LevelName } from '@isolab/contract';
import { verifyCertificate } from '@isolab/verifier';
import { type History, OpKind, countTransactions } from '@isolab/history';
import { decide } from '@isolab/oracle';
import { h, printHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { findFurther } from '../src/find/further.ts';
import { inWhole } from '../src/find/renumber.ts';
import { smallestOf } from '../src/find/smallest.ts';
import { compact } from '../src/shrink/compact.ts';
import { partsOf } from '../src/shrink/part.ts';
import { CERTIFIED } from './support/certificates.ts';

/** Finds one lost update: two transactions that read and write a key and read the same value of it. */
function oneLostUpdate({ txnStart, opKind, opKey, opValue, txnStatus }: History): FoundAnomaly | null {
  const seen = new Map<string, number>();
  for (let t = 0; t < txnStatus.length; t++) {
    const first = txnStart[t]!;
    if (txnStart[t + 1]! - first !== 2 || opKind[first] !== OpKind.Read || opKind[first + 1] !== OpKind.Write) continue;
    const version = `${opKey[first]} ${opValue[first]}`;
    const other = seen.get(version);
    if (other !== undefined) return { name: 'lost-update', transactions: [other, t] };
    seen.set(version, t);
  }
  return null;
}

const find = (history: History): Promise<FoundAnomaly[]> => {
  const found = oneLostUpdate(history);
  return Promise.resolve(found === null ? [] : [found]);
};

const three = h`r(x,0) w(x,1) | r(y,0) w(y,1) | w(q,1)
r(x,0) w(x,2) | r(y,0) w(y,2) | r(q,1)
r(z,0) w(z,1)
r(z,0) w(z,2)`;

describe('findFurther', () => {
  test('findFurther finds further anomalies without those found, in the numbers of the whole', async () => {
    const first = oneLostUpdate(three)!;
    const { anomalies, transactions, end } = await findFurther(three, [first], find);
    expect(anomalies.map((anomaly) => anomaly.transactions)).toEqual([
      [0, 3],
      [1, 4],
      [6, 7],
    ]);
    expect([transactions, end]).toEqual([6, 'satisfied']);
  });

  test.each([
    ['rounds', { rounds: 1 }, find],
    ['stopped', { signal: { aborted: true } }, find],
    ['unknown', {}, () => Promise.resolve('unknown' as const)],
    ['unknown', {}, () => Promise.resolve([{ name: 'lost-update' as const, transactions: [] }])],
  ])('findFurther ends with %s, and says so', async (end, options, finder) => {
    const found = await findFurther(three, [oneLostUpdate(three)!], finder, options);
    expect(found.end).toBe(end);
    expect(found.anomalies.length).toBeLessThan(3);
  });
});

test('an anomaly that names too much is made smaller, in the numbers of the whole', async () => {
  const all = Array.from({ length: countTransactions(three) }, (_, t) => t);
  const shrink = smallestOf(three, async (part) => (await find(part))[0] ?? null);
  expect((await shrink({ name: 'lost-update', transactions: all.slice(1) })).transactions).toHaveLength(2);
  const small = { name: 'lost-update' as const, transactions: [6, 7] };
  expect(await shrink(small)).toBe(small);
  const unproven = { name: 'lost-update' as const, transactions: [0, 1, 2, 6] };
  expect(await shrink(unproven)).toBe(unproven);
});

describe('the certificate of a part, in the numbers of the whole', () => {
  // The history behind other transactions in a session of its own, with other keys.
  const around = h`w(a,1) | w(b,1)`;
  test.each(CERTIFIED)('$name', ({ history, level, certificate }) => {
    const whole = h`${printHistory(around)}
${printHistory(history)}`;
    const kept = Uint8Array.from({ length: countTransactions(whole) }, (_, t) => Number(t >= 2));
    const loose = partsOf(whole)(kept);
    const part = { ...loose, history: compact(loose.history) };
    expect(printHistory(part.history)).toBe(printHistory(history));
    const { certificate: told, transactions } = inWhole(part, whole, { name: 'G1c', transactions: [0], certificate });
    expect(transactions).toEqual([2]);
    expect(isViolated(whole, level)).toBe(true);
    expect(verifyCertificate(whole, level, 'violated', told!)).toEqual({ ok: true });
  });
});

const isViolated = (history: History, level: LevelName): boolean => !decide(history, level).satisfied;
