import type { LevelName, Verdict } from '@isolab/contract';
import {
  type History,
  type PlainHistory,
  type PlainOperation,
  Outcome,
  ReadFrom,
  buildReadFrom,
  findInternalAnomalies,
  fromPlain,
  transactionOfOperations,
} from '@isolab/history';
import { TestContext, defaultsOf, h, prepare } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { causalEdges } from '../src/theories/weak/axioms/causal.ts';
import { noEdges } from '../src/theories/weak/edges/edges.ts';
import { gatherFacts } from '../src/theories/weak/edges/facts.ts';
import { commitOrder } from '../src/theories/weak/edges/order.ts';
import { byPace } from '../src/hints/pace.ts';
import { directEdges } from '../src/theories/weak/axioms/direct.ts';
import { weave } from '../src/weave.ts';

const DEFAULTS = defaultsOf(weave);
const LEVELS = ['read-committed', 'read-committed-dbcop', 'read-atomic', 'causal'] as const;

function check(history: History, level: LevelName, findAll = false): Verdict {
  return weave.check(prepare(history), level, DEFAULTS, new TestContext({ findAll })) as Verdict;
}

/** Whether t₂ is visible to the reader of a read, from the definitions of docs/levels.md. */
type Premise = (t2: number, read: number) => boolean;

function premiseOf(history: History, level: LevelName): Premise {
  const { readFrom, outcome } = buildReadFrom(history);
  const txnOf = transactionOfOperations(history);
  const { txnStart, txnSession, opKey } = history;
  const members = range(0, outcome.length).filter((t) => outcome[t] === Outcome.Happened);
  const external = (t: number): number[] =>
    range(txnStart[t]!, txnStart[t + 1]!).filter((op) => readFrom[op]! >= 0 && txnOf[readFrom[op]!] !== t);
  const direct = members.map((b) => {
    const sources = external(b).map((op) => txnOf[readFrom[op]!]!);
    return members.map((a) => (txnSession[a] === txnSession[b] && a < b) || sources.some((source) => source === a));
  });
  const reaches = direct.map((row) => [...row]);
  for (const k of members.keys()) {
    for (const b of members.keys())
      for (const a of members.keys()) if (reaches[b]![k] && reaches[k]![a]) reaches[b]![a] = true;
  }
  return (t2, read) => {
    const t3 = txnOf[read]!;
    if (level === 'read-atomic') return direct[members.indexOf(t3)]![members.indexOf(t2)]!;
    if (level === 'causal') return reaches[members.indexOf(t3)]![members.indexOf(t2)]!;
    return external(t3).some((op) => {
      const counts = level === 'read-committed-dbcop' || opKey[op] !== opKey[read];
      return op < read && counts && txnOf[readFrom[op]!] === t2;
    });
  };
}

/** All edges of the commit order by the definition, the initial transaction being −1; acyclic or not. */
function naive(history: History, level: LevelName): boolean {
  const index = buildReadFrom(history);
  const { readFrom, outcome } = index;
  const { opKind, opKey, txnStart, txnSession } = history;
  const internal = findInternalAnomalies(history, index);
  const { 'non-repeatable-read': nonRepeatable, ...others } = internal.counts;
  if (Object.values(others).some((n) => n > 0)) return false;
  if (nonRepeatable > 0 && !level.startsWith('read-committed')) return false;
  const txnOf = transactionOfOperations(history);
  const members = range(0, outcome.length).filter((t) => outcome[t] === Outcome.Happened);
  const edges = new Set<string>();
  const premise = premiseOf(history, level);
  const add = (from: number, to: number): void => void edges.add(`${from} ${to}`);
  for (const t of members) {
    add(-1, t);
    for (const u of members) if (txnSession[t] === txnSession[u] && t < u) add(t, u);
    for (const read of range(txnStart[t]!, txnStart[t + 1]!)) {
      const from = readFrom[read]!;
      if (opKind[read] !== 0 || from === ReadFrom.None || (from >= 0 && txnOf[from] === t)) continue;
      const t1 = from >= 0 ? txnOf[from]! : -1;
      if (t1 >= 0) add(t1, t);
      for (const t2 of members) {
        const writes = range(txnStart[t2]!, txnStart[t2 + 1]!).some(
          (op) => opKind[op] === 1 && opKey[op] === opKey[read],
        );
        if (writes && t2 !== t1 && t2 !== t && premise(t2, read)) add(t2, t1);
      }
    }
  }
  return isAcyclic(
    [-1, ...members],
    [...edges].map((edge) => edge.split(' ').map(Number) as [number, number]),
  );
}

function isAcyclic(nodes: readonly number[], edges: readonly (readonly [number, number])[]): boolean {
  let left = nodes;
  for (;;) {
    const free = left.filter((node) => !edges.some(([from, to]) => to === node && left.includes(from)));
    if (free.length === 0) return left.length === 0;
    left = left.filter((node) => !free.includes(node));
  }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

/** Histories of unique values: reads see a random write of their key, or the initial state. */
const plainHistory: fc.Arbitrary<PlainHistory> = fc
  .array(
    fc.array(
      fc.record({
        status: fc.constantFrom(
          'committed' as const,
          'committed' as const,
          'committed' as const,
          'unknown' as const,
          'aborted' as const,
        ),
        drafts: fc.array(fc.record({ writes: fc.boolean(), key: fc.nat({ max: 2 }), pick: fc.nat({ max: 50 }) }), {
          maxLength: 4,
        }),
      }),
      { maxLength: 4 },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((sessions) => {
    const written: bigint[][] = [[], [], []];
    let value = 0n;
    for (const { drafts } of sessions.flat())
      for (const { writes, key } of drafts) if (writes) written[key]!.push(++value);
    let next = 0n;
    const operation = ({ writes, key, pick }: { writes: boolean; key: number; pick: number }): PlainOperation => {
      if (writes) return { kind: 'write', key: `k${key}`, value: ++next };
      const seen = pick % (written[key]!.length + 1);
      return { kind: 'read', key: `k${key}`, value: written[key]![seen] ?? 0n };
    };
    return {
      initial: 0n,
      sessions: sessions.map((transactions, s) => ({
        name: BigInt(s),
        transactions: transactions.map(({ status, drafts }) => ({ status, operations: drafts.map(operation) })),
      })),
    };
  });

describe('weave at the weak levels', () => {
  test.each(LEVELS)('weave at the weak levels agrees with the definition at %s', (level) => {
    let violated = 0;
    fc.assert(
      fc.property(plainHistory, (plain) => {
        const history = fromPlain(plain);
        const expected = naive(history, level) ? 'satisfied' : 'violated';
        if (expected === 'violated' && findInternalAnomalies(history, buildReadFrom(history)).count === 0) violated++;
        expect(check(history, level).status).toBe(expected);
        expect(check(history, level, true).status).toBe(expected);
      }),
      { numRuns: 1000, seed: 1 },
    );
    expect(violated).toBeGreaterThan(20);
  });

  test.each(LEVELS)('the edges of %s put down at once lead to the same verdict as the search', (level) => {
    fc.assert(
      fc.property(plainHistory, (plain) => {
        const input = prepare(fromPlain(plain));
        const facts = gatherFacts(input.history, input.index);
        const roots = byPace(input.history);
        const known = commitOrder(facts, noEdges(facts.happened.length), roots);
        const reads: [number, number, number][] = [];
        const keep = (from: number, to: number, read: number): void => void reads.push([from, to, read]);
        const tick = (): void => {};
        const everything = { has: () => true };
        if (level === 'causal') causalEdges(facts, known, tick, keep, everything);
        else directEdges(facts, level, tick, keep);
        const premise = premiseOf(input.history, level);
        for (const [from, , read] of reads) expect(premise(from, read)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('weave at the weak levels finds cycles of session order and read-from, and of read-from alone where sessions do not count', () => {
    const crossed = fromPlain({
      sessions: [
        session(0n, [{ kind: 'read', key: 'y', value: 2n }], [{ kind: 'write', key: 'x', value: 1n }]),
        session(1n, [{ kind: 'read', key: 'x', value: 1n }], [{ kind: 'write', key: 'y', value: 2n }]),
      ],
    });
    expect(check(crossed, 'read-committed')).toMatchObject({
      status: 'violated',
      anomalies: [{ name: 'G1c', transactions: expect.any(Array) }],
    });
    expect(check(crossed, 'read-committed-pl2').status).toBe('satisfied');
  });

  test('weave at the weak levels handles more sessions than a block of vectors holds', () => {
    const sessions = range(0, 200).map((s) =>
      session(BigInt(s), ...(s === 0 ? [] : [[{ kind: 'read' as const, key: `k${s - 1}`, value: 1n }]]), [
        { kind: 'write' as const, key: `k${s}`, value: 1n },
      ]),
    );
    const chain = {
      sessions: [
        ...sessions,
        session('late', [{ kind: 'read', key: 'k199', value: 1n }], [{ kind: 'read', key: 'k0', value: 0n }]),
      ],
      initial: 0n,
    };
    const history = fromPlain(chain);
    expect(check(history, 'causal')).toMatchObject({
      status: 'violated',
      anomalies: [{ name: 'causality-violation' }],
    });
    const { index } = prepare(history);
    const facts = gatherFacts(history, index);
    const known = commitOrder(facts, noEdges(facts.happened.length), byPace(history));
    const stale: number[] = [];
    causalEdges(
      facts,
      known,
      () => {},
      (from) => void stale.push(from),
    );
    expect(stale).toEqual([0]);
  });
});

function session(name: bigint | string, ...transactions: readonly (readonly PlainOperation[])[]) {
  return { name, transactions: transactions.map((operations) => ({ status: 'committed' as const, operations })) };
}

test('at cut isolation, an open outcome proves nothing where another transaction wrote the same', () => {
  const settledByOne = h`w(x,1) w(x,2)
    ?r(y,0) r(y,5) w(x,1)
    r(x,1)
    w(y,5)`;
  const certificate = { kind: 'inspection', happened: [0, 2, 3] };
  expect(check(settledByOne, 'cut-isolation')).toMatchObject({ status: 'satisfied', certificate });
  expect(check(settledByOne, 'read-atomic')).toMatchObject({ status: 'violated' });
  const settled = h`?r(y,0) r(y,5) w(x,1)
    r(x,1)
    w(y,5)`;
  expect(check(settled, 'cut-isolation')).toMatchObject({ status: 'violated' });
});
