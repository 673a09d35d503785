import { IndexedStore } from '../src/hints/one-by-one/indexed-store.ts';
import { NOTHING } from '../src/order/rules/rule.ts';
import { Choice } from '../src/order/rules/choice.ts';
import { Fact } from '../src/order/rules/fact.ts';
import { ListOrder } from '../src/order/rules/list-order.ts';
import { Lock } from '../src/order/rules/lock.ts';
import { OpenRead, OpenReader } from '../src/order/rules/open-read.ts';
import { Overwrite } from '../src/order/rules/overwrite.ts';
import { ReadFrom } from '../src/order/rules/read-from.ts';
import { RealTime } from '../src/order/rules/real-time.ts';
import { Session } from '../src/order/rules/session.ts';
import { Literals } from '../src/order/state/literals.ts';
import { ScansSight } from '../src/theories/weak/sight.ts';
import { ReplayOfScans } from '../src/theories/rows/replay-scans.ts';
import { WriteLocks } from '../src/hints/one-by-one/write-locks.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Kind, WrongVerdict, agreeOnRandomRuns } from './agreement.ts';

const never = (): number => NOTHING;
const always = (): boolean => true;
const certain = (): number => -1;
const noEdge = (): [] => [];

/**
 * Replacement of a method by each mutant, the histories that must notice it, and a seed with which they do so soon. An
 * open read that waits too long only costs conflicts, so there is no mutant of that.
 */
const MUTANTS: [name: string, mutate: () => unknown, kind: Kind, seed?: number][] = [
  [
    'a session forgets what may have happened in it',
    () => replace(Session, 'blocker', never),
    'repeated, open outcomes',
    3,
  ],
  ['a session has no edge', () => replace(Session, 'edges', noEdge), 'unique'],
  ['a read does not wait', () => replace(ReadFrom, 'blocker', never), 'unique'],
  ['a read has no edge', () => replace(ReadFrom, 'edges', noEdge), 'unique'],
  ['versions are overwritten before they are read', () => replace(Overwrite, 'blocker', never), 'unique'],
  ['an overwritten version stays overwritten', () => replace(Overwrite, 'stillWaits', always), 'unique'],
  ['writers do not exclude each other', () => replace(Lock, 'blocker', never), 'unique'],
  ['a lock is held for ever', () => replace(Lock, 'stillWaits', always), 'unique'],
  ['real time stands still', () => replace(RealTime, 'blocker', never), 'unique'],
  ['real time is not taken back', () => replace(RealTime, 'takeBack', () => {}), 'unique'],
  ['lists show no order', () => replace(ListOrder, 'blocker', never), 'lists'],
  ['lists have no edges', () => replace(ListOrder, 'edges', noEdge), 'lists'],
  ['facts have no edges', () => replace(Fact, 'edges', noEdge), 'unique'],
  ['choices are ignored', () => replace(Choice, 'blocker', never), 'unique'],
  ['choices hold for ever', () => replace(Choice, 'stillWaits', always), 'unique', 18],
  ['open reads take what is there', () => replace(OpenRead, 'blocker', never), 'repeated'],
  ['open reads assume nothing', () => replace(OpenRead, 'assumedRead', certain), 'repeated'],
  ['open readers assume nothing', () => replace(OpenReader, 'assumedRead', certain), 'repeated'],
  ['transactions are placed whatever they saw', () => replace(IndexedStore, 'misses', () => 0), 'rows'],
  ['transactions that write the same are placed together', () => replace(WriteLocks, 'excludes', never), 'rows'],
  ['scans overlook nothing', () => replace(ReplayOfScans, 'judge', () => {}), 'rows'],
  ['scans see nothing that was written', () => replace(IndexedStore, 'commit', () => {}), 'rows'],
  ['scans see all that was committed', () => replace(ScansSight, 'isVisible', always), 'rows'],
  ['scans see no source of an earlier read', () => replace(ScansSight, 'beginScan', () => {}), 'rows', 2],
  ['a read may have seen nothing', () => replace(Literals, 'ofCandidates', () => []), 'repeated'],
];

/** Mutants with which weave ends by an error of its own, before it has a verdict. */
const STOPPED: typeof MUTANTS = [
  ['no order of writers is a choice', () => replace(Overwrite, 'order', certain), 'unique'],
  ['the order of locks is no choice', () => replace(Lock, 'order', certain), 'unique'],
  ['the order around open readers is no choice', () => replace(OpenReader, 'order', certain), 'repeated'],
];

afterEach(() => vi.restoreAllMocks());

describe('random histories kill the mutants of rules', () => {
  test.each(MUTANTS)('%s', async (_, mutate, kind, seed = 1) => {
    mutate();
    expect(await isNoticed(kind, seed)).toBe(true);
  });
});

describe('weave itself stops with the mutants that take its choices away', () => {
  test.each(STOPPED)('%s', async (_, mutate, kind) => {
    mutate();
    const error: unknown = await agreeOnRandomRuns(kind, RUNS, 1).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).cause).not.toBeInstanceOf(WrongVerdict);
  });
});

/** Returns whether a judge finds a wrong verdict or certificate; a crash is none, and the next seed is tried. */
async function isNoticed(kind: Kind, first: number): Promise<boolean> {
  for (let seed = first; seed < first + MOST_SEEDS; seed++) {
    const error: unknown = await agreeOnRandomRuns(kind, RUNS, seed).catch((thrown: unknown) => thrown);
    if (error instanceof Error && error.cause instanceof WrongVerdict) return true;
  }
  return false;
}

const MOST_SEEDS = 300;
const RUNS = 100;

/** Replaces a method of every instance. */
function replace<Class extends { prototype: object }>(
  { prototype }: Class,
  method: keyof Class['prototype'] & string,
  by: (...args: never[]) => unknown,
): void {
  vi.spyOn(prototype as Record<string, (...args: never[]) => unknown>, method).mockImplementation(by);
}
