import { type CheckerInfo, defineChecker, evidenceOf } from '@isolab/contract';
import { type PlainOperation, fromPlain, rowName, textOfRow } from '@isolab/history';
import { verifyEvidence } from '@isolab/verifier';
import { describe, expect, test } from 'vitest';
import { type Candidate, type CheckerRef, chooseEngines, internalOnly, prepare, run } from '../src/index.ts';
import { historyOf, r, smallHistory, w } from './support/moody.ts';

const checkerOf = (name: string, given: Partial<CheckerInfo<object, 'history'>>): CheckerRef => ({
  url: null,
  checker: defineChecker<object>({
    info: {
      name,
      title: name,
      version: '1.0.0',
      apiVersion: 1,
      paper: null,
      levels: ['causal'],
      sound: true,
      complete: true,
      requires: [],
      options: {},
      variants: {},
      ...given,
    },
    check: () => ({ status: 'satisfied' }),
  }),
});

const prepared = prepare(smallHistory());

const candidates = (
  named: Readonly<Record<string, Partial<CheckerInfo<object, 'history'>>>>,
  loaded: string[] = [],
): Candidate[] =>
  Object.entries(named).map(([name, info]) => ({
    name,
    load: async (): Promise<CheckerRef> => {
      loaded.push(name);
      return checkerOf(name, info);
    },
  }));

describe('a check without a named checker', () => {
  test('for each level the first one decides that takes the history, and none is loaded for nothing', async () => {
    const loaded: string[] = [];
    const both = { levels: ['causal', 'prefix'] } as const;
    const asked = candidates(
      { first: { ...both, requires: ['list-append'] }, second: {}, third: both, last: both },
      loaded,
    );
    const engineFor = await chooseEngines(asked, prepared, ['causal', 'prefix']);
    expect(engineFor('causal').checker.checker.info.name).toBe('second');
    expect(engineFor('prefix').checker.checker.info.name).toBe('third');
    expect(loaded).toEqual(['first', 'second', 'third']);
  });

  test('without a named checker, a history that no checker takes may still show a read that no level allows, and each refusal is reported', async () => {
    const level = 'serializable';
    const engineFor = await chooseEngines(candidates({ mine: {} }), prepared, [level]);
    expect(engineFor(level).checker.isFallback).toBe(true);
    expect((await run({ ...engineFor(level), prepared, level })).verdict.status).toBe('violated');
    const harmless = prepare(historyOf([[[r('x', 0), w('x', 1)]]]));
    const { verdict } = await run({ checker: internalOnly(), prepared: harmless, level });
    expect(verdict).toMatchObject({ reason: 'unsupported', detail: expect.stringContaining('No checker decides') });
    const refusing = candidates({ mine: { levels: [level], requires: ['list-append'] } });
    const refused = await chooseEngines(refusing, harmless, [level]);
    expect((await run({ ...refused(level), prepared: harmless, level })).verdict).toMatchObject({
      reason: 'unsupported',
      detail: expect.stringContaining('mine needs list-append'),
    });
  });

  test('such a read of a row that a scan passed over is found among very many, with evidence', async () => {
    const put = (id: number) =>
      ({ kind: 'write', key: rowName('t', BigInt(id)), value: textOfRow({ id }) }) satisfies PlainOperation;
    const scan: PlainOperation = { kind: 'scan', table: 't', where: ['>=', 'id', 0], rows: [], aggregate: null };
    const committed = (operations: readonly PlainOperation[]) => ({ status: 'committed' as const, operations });
    const rows = committed(Array.from({ length: 50 }, (_, id) => put(id)));
    const scans = Array.from({ length: 50 }, () => committed([scan]));
    const historyWith = (last: readonly PlainOperation[]) =>
      fromPlain({ tables: ['t'], sessions: [{ name: 0n, transactions: [...scans, rows, committed(last)] }] });
    const level = 'linearizable';
    const checker = internalOnly();
    const wrong = historyWith([put(99), scan]);
    const { verdict } = await run({ checker, prepared: prepare(wrong), level });
    expect(verdict.status).toBe('violated');
    const { certificate, passedOver } = evidenceOf(verdict)!;
    expect(passedOver).toHaveLength(1);
    expect(verifyEvidence(wrong, 'serializable', 'violated', { certificate: certificate!, passedOver })).toMatchObject({
      ok: true,
    });
    const right = prepare(historyWith([scan, put(99)]));
    expect((await run({ checker, prepared: right, level })).verdict.status).toBe('unknown');
  });
});
