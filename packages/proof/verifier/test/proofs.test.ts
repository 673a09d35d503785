import { fromPlain } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Clauses } from '../src/definition/clauses.ts';
import { LEVELS, type ProofCertificate } from '@isolab/contract';
import { problemOf } from './support/certificates.ts';
import { isCommitOrder, isEventOrder, modelOf } from './support/definitions.ts';
import { isSerialOrder, isSnapshotOrder, worlds } from './support/naive-store.ts';
import { randomRepetitions } from './support/random-executions.ts';
import { eventOrders, permutations, randomHistories } from './support/random-histories.ts';
import { readRefutation } from './support/read-refutations.ts';
import { refutation } from './support/refutations.ts';

const STRONG = LEVELS.map(({ name }) => name).filter((name) => /snapshot|prefix|serializable/.test(name));

describe('clausal proofs', () => {
  test.each(STRONG)(
    'clausal proofs are accepted exactly where no order exists, and not without any of their steps, at %s',
    (level) => {
      const counts = { violated: 0, satisfied: 0, longer: 0, shortened: 0 };
      fc.assert(
        fc.property(randomHistories({ maxTransactions: 4, times: true }), (plain) => {
          const history = fromPlain(plain);
          const model = modelOf(plain);
          const proof = refutation(model, level);
          const order = /serializable/.test(level)
            ? [...permutations(model.committed)].find((one) => isCommitOrder(model, level, one))
            : [...eventOrders(model.committed)].find((one) => isEventOrder(model, level, one));
          counts[proof === null ? 'satisfied' : 'violated']++;
          expect(proof === null).toBe(order !== undefined);
          if (proof === null) return;
          expect(problemOf(history, level, 'violated', proof)).toBeNull();
          if (proof.steps.length < 3) return;
          counts.longer++;
          // A clause of a cycle is needed where the others can all be true, as an assignment shows that denies it
          // alone.
          for (const [i, step] of proof.steps.entries()) {
            if (step.kind !== 'cycle') continue;
            const shorter = { ...proof, steps: proof.steps.toSpliced(i, 1) };
            const needed = isSatisfiable(shorter);
            if (needed) {
              counts.shortened++;
              expect(problemOf(history, level, 'violated', shorter)).toContain('does not follow');
            }
          }
        }),
        { numRuns: 600, seed: 600 },
      );
      expect(Math.min(counts.violated, counts.satisfied)).toBeGreaterThan(10);
      // Four transactions are too few for a choice that matters at prefix; two-choices.ts has one.
      if (level !== 'prefix') expect(Math.min(counts.longer, counts.shortened)).toBeGreaterThan(0);
    },
  );
});

const STORES = ['plain-serializable', 'serializable', 'strict-serializable', 'prefix', 'snapshot-isolation'] as const;

describe('clausal proofs with choices of read versions', () => {
  test.each(STORES)(
    'clausal proofs with choices of read versions are accepted exactly where no order exists, at %s',
    (level) => {
      const counts = { violated: 0, satisfied: 0, chosen: 0, conditional: 0, impossible: 0 };
      fc.assert(
        fc.property(randomRepetitions(/serializable/.test(level) ? 6 : 4), (plain) => {
          const proof = readRefutation(plain, level);
          if (proof === undefined) return;
          const history = fromPlain(plain);
          if (proof !== null)
            expect({ proof, problem: problemOf(history, level, 'violated', proof) }).toEqual({ proof, problem: null });
          const isSatisfied = worlds(plain).some((world) =>
            /serializable/.test(level)
              ? [...permutations(world)].some((order) => isSerialOrder(plain, level, order))
              : [...eventOrders(world)].some((events) => isSnapshotOrder(plain, level, events)),
          );
          expect({ plain, isSatisfied }).toEqual({ plain, isSatisfied: proof === null });
          counts[proof === null ? 'satisfied' : 'violated']++;
          const steps = proof?.steps.filter((step) => step.kind === 'candidates') ?? [];
          if (steps.length > 0) counts.chosen++;
          if (steps.some(({ clause }) => clause.some((literal) => literal < 0))) counts.conditional++;
          if (proof?.steps.some((step) => step.kind === 'internal')) counts.impossible++;
        }),
        { numRuns: 300, seed: 3 },
      );
      expect(Math.min(counts.satisfied, counts.violated)).toBeGreaterThan(5);
      expect(counts.impossible).toBeGreaterThan(0);
      // Orders of events are tried of fewer transactions, where hardly any happened only perhaps.
      expect(/serializable/.test(level) ? Math.min(counts.chosen, counts.conditional) : counts.chosen).toBeGreaterThan(
        0,
      );
    },
  );
});

/** Returns whether the clauses of the cycles can all be true. */
function isSatisfiable({ choices, steps }: ProofCertificate): boolean {
  const clauses = steps.filter(({ kind }) => kind === 'cycle').map(({ clause }) => clause);
  for (let bits = 0; bits < 1 << choices.length; bits++) {
    const isTrue = (literal: number): boolean => ((bits >> (Math.abs(literal) - 1)) & 1) === (literal > 0 ? 1 : 0);
    if (clauses.every((clause) => clause.some(isTrue))) return true;
  }
  return false;
}

describe('unit propagation', () => {
  test('unit propagation agrees with one without watched literals', () => {
    const variables = 6;
    const literal = fc.integer({ min: 1, max: variables }).chain((v) => fc.constantFrom(v, -v));
    const clause = fc.array(literal, { maxLength: 4 }).filter((literals) => literals.length !== 1);
    const steps = fc.array(fc.record({ clause, ask: fc.array(literal, { maxLength: 3 }) }), { maxLength: 30 });
    const counts = { true: 0, false: 0 };
    fc.assert(
      fc.property(steps, (all) => {
        const clauses = new Clauses(variables);
        const known: (readonly number[])[] = [];
        for (const one of all) {
          const implied = clauses.imply(one.ask);
          expect(implied).toBe(impliesNaively(known, one.ask));
          counts[`${implied}`]++;
          const next = (one.ask.length > 0 && implied) || one.clause.length === 0 ? one.ask : one.clause;
          clauses.add(next);
          known.push(next);
        }
      }),
      { numRuns: 500, seed: 500 },
    );
    expect(Math.min(counts.true, counts.false)).toBeGreaterThan(500);
  });
});

function impliesNaively(clauses: readonly (readonly number[])[], ask: readonly number[]): boolean {
  const holds = new Set(ask.map((literal) => -literal));
  for (let size = -1; size < holds.size;) {
    size = holds.size;
    for (const clause of clauses) {
      if (clause.some((literal) => holds.has(literal) && !holds.has(-literal))) continue;
      const open = [...new Set(clause)].filter((literal) => !holds.has(-literal));
      if (open.length === 0) return true;
      if (open.length === 1) holds.add(open[0]!);
    }
  }
  return [...holds].some((literal) => holds.has(-literal));
}
