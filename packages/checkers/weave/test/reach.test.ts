import { arbitraryHistory, parseHistory } from '@isolab/testkit';
import { type History, buildReadFrom } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Band } from '../src/facts/band.ts';
import { TUNING } from '../src/problem/tuning.ts';
import { type Before, countBefore, directlyBefore } from '../src/facts/before.ts';
import { chainsOf } from '../src/problem/chains.ts';
import { Vectors } from '../src/facts/vectors.ts';
import { gatherVersions } from '../src/problem/versions.ts';

const inOrder = (history: History): Int32Array => Int32Array.from(history.txnStatus.keys());

function beforeOf(history: History): Before {
  const versions = gatherVersions(history, buildReadFrom(history), inOrder(history));
  const chains = chainsOf(history, versions.happened, new Uint8Array(versions.numTxns));
  return { versions, chains, factStart: new Int32Array(versions.numTxns + 1), factFrom: new Int32Array(0) };
}

/** Order of all pairs, by a walk back from every node. */
function reachable(before: Before): boolean[][] {
  const { numTxns, happened } = before.versions;
  return Array.from({ length: numTxns }, (_, t) => {
    const met = Array.from({ length: numTxns }, () => false);
    const walk = (at: number): void => {
      if (happened[at] === 0) return;
      for (let k = 0; k < countBefore(before, at); k++) {
        const from = directlyBefore(before, at, k);
        if (from < 0 || met[from]) continue;
        met[from] = true;
        walk(from);
      }
    };
    walk(t);
    return met;
  });
}

describe.each([
  ['bits in an order', (before: Before, guess: Int32Array) => Band.of(before, guess, false, TUNING)],
  ['vectors by chain', (before: Before) => Vectors.of(before)],
])('reachability, as %s,', (_, reachOf) => {
  test('reachability follows all edges, and is null if they have a cycle', () => {
    fc.assert(
      fc.property(arbitraryHistory({ transactions: 7, aborted: true }), (history) => {
        const before = beforeOf(history);
        const truth = reachable(before);
        const reach = reachOf(before, inOrder(history).toReversed());
        const isCyclic = truth.some((row, t) => row[t]);
        expect(reach === null).toBe(isCyclic);
        if (reach === null) return;
        const found = truth.map((row, t) => row.map((__, from) => reach.has(from, t)));
        expect(found).toEqual(truth);
      }),
      { numRuns: 300 },
    );
  });

  test('reachability gives the facts that a read shows', () => {
    // The second session saw x = 2 after it had seen the transaction that wrote x = 1.
    const reach = reachOf(beforeOf(parseHistory('w(x,1) w(y,1)\nw(x,2)\nr(y,1) | r(x,2)')), Int32Array.of(0, 1, 2, 3))!;
    expect(reach.writersBefore(3, 0)).toEqual(expect.arrayContaining([0]));
    expect(reach.newFacts().slice(0, 3)).toEqual([0, 1, 3]);
  });
});

test('anti-dependencies are facts where they are asked for: from readers to the overwriters of their versions', () => {
  const before = beforeOf(parseHistory('w(x,1)\nr(x,1) w(x,2)\nr(x,1)\nr(x,0)'));
  const facts = Band.of(before, Int32Array.of(0, 1, 2, 3), true, TUNING)!.newFacts();
  const version = before.versions.writer.length; // the initial one
  expect(facts).toEqual([2, 1, 2, 0, 3, 0, 3, version]);
});
