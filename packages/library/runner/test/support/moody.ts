import { type History, fromPlain, type PlainOperation } from '@isolab/history';
import {
  type CheckerRef,
  type RunPlace,
  type Prepared,
  type Report,
  type RunOptions,
  loadChecker,
  prepare,
  run,
} from '../../src/index.ts';

export const fixture = (name: string): URL => new URL(`../fixtures/${name}`, import.meta.url);

export const loadFixture = (name: string): Promise<CheckerRef> => loadChecker(fixture(name).href);

export const PLACES: readonly RunPlace[] = ['thread', 'worker', 'process'];

/** Sessions of transactions of operations. */
export const historyOf = (sessions: readonly (readonly (readonly PlainOperation[])[])[]): History =>
  fromPlain({
    initial: 0n,
    sessions: sessions.map((transactions, s) => ({
      name: BigInt(s),
      transactions: transactions.map((operations) => ({ status: 'committed', operations })),
    })),
  });

export const w = (key: string, value: number): PlainOperation => ({ kind: 'write', key, value: BigInt(value) });
export const r = (key: string, value: number): PlainOperation => ({ kind: 'read', key, value: BigInt(value) });

/** Two transactions that both read x and write it, and one that reads a value twice that changed. */
export const smallHistory = (): History =>
  historyOf([[[r('x', 0), w('x', 1)]], [[r('x', 0), w('x', 2)]], [[r('x', 1), r('x', 2)]]]);

/** The history with times: all three at once. */
export const timedHistory = (): History => ({
  ...smallHistory(),
  txnBegin: BigInt64Array.of(1n, 2n, 3n),
  txnEnd: BigInt64Array.of(4n, 5n, 6n),
});

export async function runMood(
  mood: string,
  place: RunPlace,
  options: RunOptions = {},
  prepared: Prepared = prepare(smallHistory()),
): Promise<Report> {
  const checker = await loadFixture('moody-checker.mjs');
  return run({ checker, prepared, level: 'serializable', options: { mood } }, { place, ...options });
}

/** A report without time and memory. */
export function withoutTimes(report: Report): object {
  const stages = report.stages.map(({ name }) => name);
  return { ...report, stages, wallMs: null, cpuMs: null, startMs: null, peakRssBytes: null };
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
