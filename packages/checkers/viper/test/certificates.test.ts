import type { LevelName } from '@isolab/contract';
import { verifyCertificate } from '@isolab/verifier';
import type { PlainOperation, PlainTransaction } from '@isolab/history';
import { arbitraryHistory, historyOf, parseHistory } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ViperOptions } from '../src/index.ts';
import { certificateOf, check } from './support/check.ts';

const LONG = 450;

/** A key that is read and written by `LONG` transactions, one after another, each in a session of its own. */
const chain = (first: bigint | null): PlainTransaction[][] =>
  Array.from({ length: LONG }, (_, i) => {
    const value = BigInt(i + 1);
    const read: PlainOperation = { kind: 'read', key: 'x', value: value - 1n };
    const write: PlainOperation = { kind: 'write', key: 'x', value };
    const operations = i === 0 && first === null ? [write] : [read, write];
    return [{ status: 'committed', operations }];
  });

const transaction = (...operations: readonly PlainOperation[]): PlainTransaction => ({
  status: 'committed',
  operations,
});

function expectProof(history: ReturnType<typeof historyOf>, kind: string): void {
  const { verdict, input } = check(history, 'adya-snapshot-isolation');
  expect(verdict.status).toBe('violated');
  const certificate = certificateOf(verdict)!;
  expect(certificate.kind).toBe(kind);
  expect(verifyCertificate(input.history, 'adya-snapshot-isolation', 'violated', certificate)).toEqual({ ok: true });
}

describe('certificates', () => {
  test('a violation behind a long chain from the initial version is a proof in stages', () => {
    // Its read of y shows the last one of the chain to be before it, its write of x must come after the chain, …
    const blind = transaction({ kind: 'write', key: 'x', value: 9000n }, { kind: 'write', key: 'y', value: 1n });
    const seen = transaction({ kind: 'read', key: 'y', value: 1n }, { kind: 'read', key: 'x', value: BigInt(LONG) });
    expectProof(historyOf([...chain(0n), [blind], [seen]]), 'proof');
  });

  test('a violation around two unordered chains is a proof in stages', () => {
    const blind = transaction({ kind: 'write', key: 'x', value: 9000n }, { kind: 'write', key: 'y', value: 1n });
    const behind = transaction({ kind: 'read', key: 'y', value: 1n }, { kind: 'read', key: 'x', value: BigInt(LONG) });
    const before = transaction({ kind: 'read', key: 'x', value: 9000n }, { kind: 'read', key: 'z', value: 1n });
    const end = transaction({ kind: 'write', key: 'z', value: 1n }, { kind: 'read', key: 'x', value: BigInt(LONG) });
    expectProof(historyOf([...chain(null), [blind], [behind], [before], [end]]), 'proof');
  });

  test('two transactions that overwrite the initial version are a cycle', () => {
    const { verdict } = check(parseHistory('r(x,0) w(x,1)\nr(x,0) w(x,2)'), 'adya-snapshot-isolation');
    expect(verdict).toMatchObject({
      status: 'violated',
      anomalies: [{ name: 'lost-update', transactions: [-1, 0, 1], certificate: { kind: 'cycle' } }],
    });
  });

  const settings: readonly Partial<ViperOptions>[] = [
    {},
    { prune: false },
    { prune: false, optimise: false },
    { optimise: false },
    { prune: false, seeds: 3 },
  ];
  test.each(settings)('certificates are right for larger histories, with %o', (options) => {
    const kinds: Record<string, number> = {};
    const bounds = { sessions: 5, atLeast: 8, transactions: 14, keys: 3, operations: 3 };
    const levels: readonly LevelName[] = ['adya-snapshot-isolation', 'snapshot-isolation', 'strong-snapshot-isolation'];
    const anything = fc.record({ level: fc.constantFrom(...levels), times: fc.boolean(), lists: fc.boolean() });
    const property = fc.property(
      anything.chain(({ level, ...more }) => fc.tuple(fc.constant(level), arbitraryHistory({ ...bounds, ...more }))),
      ([level, history]) => {
        const { verdict, input } = check(history, level, options);
        if (verdict.status === 'unknown') return;
        const certificate = certificateOf(verdict)!;
        kinds[certificate.kind] = (kinds[certificate.kind] ?? 0) + 1;
        expect(verifyCertificate(input.history, level, verdict.status, certificate)).toEqual({ ok: true });
      },
    );
    fc.assert(property, { numRuns: 150, seed: 7 });
    expect(Object.keys(kinds)).toEqual(expect.arrayContaining(['event-order', 'internal', 'cycle', 'proof']));
  });
});
