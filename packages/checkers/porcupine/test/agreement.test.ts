import { verifyCertificate } from '@isolab/verifier';
import { type History, HistoryBuilder, NIL, OpKind, TxnStatus, UNKNOWN_VALUE, toRegisters } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TestContext } from '@isolab/testkit';
import { type Call, isLinearizable } from './support/brute-force.ts';
import { check } from './support/run.ts';

/** Registers with compare-and-set, as in etcd's logs; then texts with append, as in those of key-value stores. */
const MODELS = {
  registers: { kinds: ['read', 'write', 'cas'], values: ['1', '2', '3'], initial: null, timed: true },
  'registers, without times': { kinds: ['read', 'write', 'cas'], values: ['1', '2', '3'], initial: null, timed: false },
  'registers of many values': { kinds: ['read', 'write', 'cas'], values: [...'123456789'], initial: null, timed: true },
  texts: { kinds: ['read', 'append', 'append', 'write'], values: ['a', 'b', 'ab'], initial: '', timed: true },
} as const;

describe.each(Object.entries(MODELS))('on %s', (_, model) => {
  test('porcupine agrees with brute force, and each certificate is proved', () => {
    const count = { satisfied: 0, violated: 0, unknown: 0, proved: 0 };
    fc.assert(
      fc.property(arbitraryCalls(model), (calls) => {
        const history = historyOf(calls, model);
        const verdict = check(history, new TestContext({ certify: true }));
        expect([verdict.status, calls]).toEqual([
          isLinearizable(calls, model.initial) ? 'satisfied' : 'violated',
          calls,
        ]);
        count[verdict.status]++;
        const certificate =
          verdict.status === 'violated'
            ? verdict.anomalies[0]!.certificate
            : 'certificate' in verdict && verdict.certificate;
        if (!certificate || verdict.status === 'unknown') return;
        count.proved++;
        expect(verifyCertificate(toRegisters(history).history, 'linearizable', verdict.status, certificate)).toEqual({
          ok: true,
        });
      }),
      { numRuns: 1200, seed: 11 },
    );
    expect(Math.min(count.satisfied, count.violated)).toBeGreaterThan(100);
    if (model.initial === null) expect(count.proved).toBeGreaterThan(count.satisfied + 20);
  });
});

function arbitraryCalls({ kinds, values, timed }: (typeof MODELS)[keyof typeof MODELS]): fc.Arbitrary<Call[]> {
  const call = fc.record({
    session: fc.nat({ max: 2 }),
    kind: fc.constantFrom<Call['kind']>(...kinds),
    found: fc.nat({ max: 11 }),
    written: fc.constantFrom<string>(...values),
    gap: fc.nat({ max: 3 }),
    length: fc.nat({ max: 6 }),
    fate: fc.nat({ max: 11 }),
  });
  return fc.array(call, { minLength: 1, maxLength: 6, size: 'max' }).map((drafts) => {
    const now = [0, 0, 0];
    const wholes = new Set<string>(values);
    const calls = drafts
      .toSorted((a, b) => a.session - b.session)
      .map((draft): Call => {
        const { session, kind, written, gap, length, fate } = draft;
        const begin = timed ? now[session]! + gap : 0;
        const end = timed ? begin + length : 0;
        now[session] = end;
        // Some more found the current value, so that both verdicts are frequent.
        const outcome = fate === 0 ? 'unknown' : kind === 'cas' && fate < 4 ? 'failed' : 'ok';
        const texts = kinds.includes('append' as never)
          ? [...wholes].flatMap((a) => [a, ...values.map((b) => a + b)])
          : values;
        const found =
          draft.found < 4 ? (kinds.includes('append' as never) ? '' : null) : texts[draft.found % texts.length]!;
        return { session, kind, found, written, begin, end, outcome };
      });
    return calls;
  });
}

function historyOf(calls: readonly Call[], { initial, timed }: (typeof MODELS)[keyof typeof MODELS]): History {
  const builder = new HistoryBuilder({ format: 'test', file: 'test', unit: 'record' });
  builder.timeUnit = timed ? 'events' : 'none';
  const key = builder.keys.string('x');
  if (initial !== null) builder.initialOf(key, builder.values.string(initial));
  const value = (text: string | null): number => (text === null ? NIL : builder.values.string(text));
  calls.forEach((call, i) => {
    const t = builder.begin(builder.sessions.bigint(BigInt(call.session)), i);
    builder.outcome(t, call.outcome === 'unknown' ? TxnStatus.Unknown : TxnStatus.Committed);
    if (timed) builder.time(t, 'begin', BigInt(call.begin));
    if (timed) builder.time(t, 'end', BigInt(call.end));
    if (call.kind === 'read')
      builder.op(OpKind.Read, key, call.outcome === 'unknown' ? UNKNOWN_VALUE : value(call.found));
    else if (call.kind === 'write') builder.op(OpKind.Write, key, value(call.written));
    else if (call.kind === 'append') builder.op(OpKind.Append, key, value(call.written));
    else
      builder.exchange(
        OpKind.CompareAndSet,
        key,
        value(call.found),
        value(call.written),
        call.outcome === 'failed' ? 1 : 0,
      );
  });
  return builder.finish();
}
