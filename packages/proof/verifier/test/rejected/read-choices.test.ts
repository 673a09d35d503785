import { describe, expect, test } from 'vitest';
import {
  assumed,
  awr,
  candidates,
  choice,
  cycle,
  impossible,
  init,
  learned,
  never,
  problemOf,
  proof,
  rw,
  saw,
  so,
  wr,
  ww,
} from '../support/certificates.ts';
import { h } from '../support/notation.ts';
import { type Row, accepted, expectProblems } from '../support/problems.ts';

const level = 'serializable';
const at = (certificate: unknown, problem: string): Row => [problem, level, certificate, problem];

describe('choices of read versions', () => {
  // 0: w(x,1) and 1: w(x,1) w(y,1), in sessions of their own; 2: r(x,1) | 3: r(x,0) r(y,0), a session; 4: aborted.
  // Operations: 0 w(x,1); 1 w(x,1), 2 w(y,1); 3 r(x,1); 4 r(x,0), 5 r(y,0); 6 w(x,1); 7 r(x,1).
  const history = h`w(x,1)
    w(x,1) w(y,1)
    r(x,1) | r(x,0) r(y,0)
    !w(x,1) r(x,1)
    w(x,1) r(x,1)`;
  const choices = [saw(3, 0), saw(3, 1), saw(3, 5)];
  // Transaction 3 comes after each possible writer of the version that 2 saw and still sees the initial state.
  const ifZero = never([-1], ww(0, -1, 0, 4, awr(0, 2, 3), so(2, 3)), init(0));
  const ifOne = never([-2], ww(1, -1, 1, 4, awr(1, 2, 3), so(2, 3)), init(1));
  const ifFive = never([-3], ww(5, -1, 8, 4, awr(5, 2, 3), so(2, 3)), init(5));
  const one = candidates(3, 1, 2, 3);
  const whole = proof(choices, ifZero, ifOne, ifFive, one, learned());

  test('choices of read versions are accepted, at every level that keeps sessions', () => {
    for (const strong of ['causal', 'prefix', 'snapshot-isolation', 'serializable', 'strict-serializable'] as const)
      expect(problemOf(history, strong, 'violated', whole)).toBeNull();
    expect(problemOf(history, level, 'violated', proof(choices, one, ifFive, ifOne, ifZero))).toContain(
      'not the empty',
    );
  });

  test('choices of read versions are rejected where they are malformed or impossible', () => {
    const chosen = (...more: unknown[]) => proof([...choices, ...more] as never, ifZero, ifOne, ifFive, one, learned());
    const range = 'expected an integer from';
    expectProblems(history, 'violated', accepted(level, whole), [
      at(chosen(saw(3, 2)), 'choice 4: operation 3 cannot have seen transaction 2'),
      at(chosen(saw(3, 4)), 'choice 4: operation 3 cannot have seen transaction 4'),
      at(chosen(saw(3, -1)), 'choice 4: operation 3 cannot have seen the initial transaction'),
      at(chosen(saw(5, 1)), 'choice 4: operation 5 cannot have seen transaction 1'),
      at(chosen(saw(7, 0)), 'choice 4: transaction 4, of operation 7, did not happen'),
      at(
        chosen(saw(9, 0)),
        'choice 4: operation 9 leaves no choice: it is not a read of a register from another transaction',
      ),
      at(
        chosen(saw(0, 0)),
        'choice 4: operation 0 leaves no choice: it is not a read of a register from another transaction',
      ),
      at(chosen(saw(10, 0)), `choice 4: the read is 10, ${range} 0 to 9`),
      at(chosen(saw(3, -2)), `choice 4: the writer is -2, ${range} -1 to 5`),
      at(chosen(saw(0.5, 0)), `choice 4: the read is 0.5, ${range} 0 to 9`),
      at(chosen({ read: 3 }), `choice 4: the writer is undefined, ${range} -1 to 5`),
      at(chosen({ read: null, writer: 0 }), `choice 4: the read is null, ${range} 0 to 9`),
    ]);
  });

  test('choices of read versions are rejected where a step leaves something out', () => {
    expectProblems(history, 'violated', accepted(level, whole), [
      at(
        proof(choices, ifZero, ifOne, ifFive, candidates(3, 1, 2), learned()),
        'step 4: operation 3 may have seen transaction 5, which the clause leaves out',
      ),
      at(
        proof(choices, ifZero, ifOne, ifFive, candidates(3, 1, 2, -3), learned()),
        'step 4: operation 3 may have seen transaction 5, which the clause leaves out',
      ),
      at(
        proof(choices, ifZero, ifOne, ifFive, candidates(3), learned()),
        'step 4: operation 3 may have seen transaction 0, which the clause leaves out',
      ),
      at(
        proof(choices, ifZero, ifOne, ifFive, candidates(5, 1, 2, 3), learned()),
        'step 4: operation 5 may have seen the initial transaction, which the clause leaves out',
      ),
      at(
        proof(choices, ifZero, ifOne, ifFive, candidates(7, 1, 2, 3), learned()),
        'step 4: transaction 4, of operation 7, did not happen',
      ),
      at(proof(choices, ifZero, ifOne, ifFive, candidates(2, 1, 2, 3), learned()), 'step 4: operation 2 is not a read'),
      at(
        proof(choices, ifZero, ifOne, one, learned()),
        'step 4: the clause does not follow from the clauses before it by unit propagation',
      ),
      at(
        proof(choices, ifZero, ifOne, ifFive, learned()),
        'step 4: the clause does not follow from the clauses before it by unit propagation',
      ),
    ]);
  });

  test('choices of read versions are rejected where a cycle uses an edge that its clause does not deny', () => {
    const several = 'operation 3 may have read from several transactions, because the value was written more than once';
    const visible = (from: number, edge: number) =>
      `step 1: edge 1, from transaction ${from} to the initial transaction: visible edge ${edge}, from transaction ${from} to transaction 2: ${several}`;
    const [zero, five] = [ifZero, ifFive].map((step) => (step.kind === 'cycle' ? step.edges : []));
    expectProblems(history, 'violated', accepted(level, whole), [
      at(proof(choices, never([], ...zero!)), visible(0, 1)),
      at(proof(choices, never([1], ...zero!)), visible(0, 1)),
      at(proof(choices, never([-2], ...zero!)), visible(0, 1)),
      at(proof(choices, never([-1], ...five!)), visible(5, 1)),
      at(cycle(...zero!), visible(0, 1).replace('step 1: ', '')),
      at(
        proof(choices, never([-1], ww(0, -1, 0, 4, wr(0, 2, 3), so(2, 3)), init(0)), never([], awr(0, 2, 3))),
        `step 2: edge 1, from transaction 0 to transaction 2: ${several}`,
      ),
    ]);
  });

  test('choices of read versions are rejected where a read may have seen the initial state', () => {
    // 0 writes the initial value once more; 1 writes another; 2 reads the value.
    const again = h`r(y,0) w(x,0)
      w(x,1) w(y,1)
      r(x,0) r(y,1)`;
    const [ofInitial, ofZero] = [saw(4, -1), saw(4, 0)];
    // If 2 saw the initial state, 1 overwrote it before; if it saw 0, then 1 is between, or else 0 did not see y.
    const valid = proof(
      [ofInitial, ofZero, choice(0, 1, 1)],
      never([-1], rw(2, 1, 4, 2, init(1)), wr(1, 2, 5)),
      candidates(4, 1, 2),
      never([-2, -3], rw(2, 1, 4, 2, assumed(0, 1)), wr(1, 2, 5)),
      never([-2, 3], rw(0, 1, 0, 3, init(1)), assumed(1, 0)),
      learned(),
    );
    expectProblems(again, 'violated', accepted(level, valid), [
      at(
        { ...valid, steps: valid.steps.with(1, candidates(4, 2)) },
        'step 2: operation 4 may have seen the initial transaction, which the clause leaves out',
      ),
      at(
        { ...valid, steps: valid.steps.with(2, never([-3], rw(2, 1, 4, 2, assumed(0, 1)), wr(1, 2, 5))) },
        'step 3: edge 1, from transaction 2 to transaction 1: operation 4 may have read from several transactions, because the value was written more than once',
      ),
    ]);
  });

  test('choices of read versions are rejected where a transaction of unknown outcome need not have happened', () => {
    // 1 and 2 may have written x; each comes after 0, whose y it does not see. 3 reads x from one of them.
    const unknown = h`w(y,1) | ?r(y,0) w(x,1) | ?r(y,0) w(x,1) | r(x,1)`;
    const ifFirst = [rw(1, 0, 1, 0, init(0)), so(0, 1)];
    const ifSecond = [rw(2, 0, 3, 0, init(0)), so(0, 2)];
    const valid = proof(
      [saw(5, 1), saw(5, 2)],
      candidates(5, 1, 2),
      never([-1], ...ifFirst),
      never([-2], ...ifSecond),
      learned(),
    );
    expectProblems(unknown, 'violated', accepted(level, valid), [
      at(
        { ...valid, steps: valid.steps.with(1, never([], ...ifFirst)) },
        'step 2: the field from of edge 1 is transaction 1, which did not happen',
      ),
      at(
        { ...valid, steps: valid.steps.with(1, never([-2], ...ifFirst)) },
        'step 2: the field from of edge 1 is transaction 1, which did not happen',
      ),
      at(
        { ...valid, steps: valid.steps.with(0, candidates(3, 1, 2)) },
        'step 1: transaction 2, of operation 3, did not happen',
      ),
    ]);
  });

  test('choices of read versions are rejected where a transaction of unknown outcome does not contradict itself, or may not have happened', () => {
    // 0 and 1 may have written x; both read impossible versions: 0 two values of y, 1 its own future. 2 reads x.
    const unknown = h`?r(y,0) r(y,1) w(x,1)
      ?r(z,5) w(x,1) w(z,5)
      r(x,1) w(y,1)`;
    const [zero, first] = [impossible([-1], 'non-repeatable-read', 1, 0), impossible([-2], 'future-read', 3, 5)];
    const valid = proof([saw(6, 0), saw(6, 1)], candidates(6, 1, 2), zero, first, learned());
    const second = (step: unknown) => ({ ...valid, steps: valid.steps.with(1, step as typeof zero) });
    expect(problemOf(unknown, 'read-committed', 'violated', valid)).toContain('does not forbid non-repeatable-read');
    expectProblems(unknown, 'violated', accepted(level, valid), [
      at(
        second(impossible([-2], 'non-repeatable-read', 1, 0)),
        'step 2: transaction 0, of operation 1, did not happen',
      ),
      at(second(impossible([1], 'non-repeatable-read', 1, 0)), 'step 2: transaction 0, of operation 1, did not happen'),
      at(second(impossible([], 'non-repeatable-read', 1, 0)), 'step 2: transaction 0, of operation 1, did not happen'),
      at(
        second(impossible([-1], 'non-repeatable-read', 0, 1)),
        'step 2: operation 0 does not show non-repeatable-read: operation 1 is not an earlier read of the same transaction',
      ),
      at(
        second(impossible([-1], 'thin-air-read', 1)),
        'step 2: operation 1 does not show thin-air-read: a transaction wrote the value',
      ),
      at(second(impossible([-1], 'G1a', 1, 0)), 'step 2: the anomaly is "G1a", which is not an internal anomaly'),
      at(
        second({ kind: 'internal', clause: [-1] }),
        'step 2: the anomaly is undefined, which is not an internal anomaly',
      ),
      at(
        { ...valid, steps: valid.steps.toSpliced(2, 1) },
        'step 3: the clause does not follow from the clauses before it by unit propagation',
      ),
    ]);
  });

  test('choices of read versions are of registers: no choice selects one of two appends of an element', () => {
    const lists = h`a(x,1)
      a(x,1)
      r(x,[1])`;
    const problem = 'operation 2 leaves no choice: it is not a read of a register from another transaction';
    for (const writer of [-1, 0, 1])
      expect(problemOf(lists, level, 'violated', proof([saw(2, writer)], candidates(2, 1), learned()))).toBe(
        `choice 1: ${problem}`,
      );
    expect(problemOf(lists, level, 'violated', proof([], candidates(2)))).toBe(`step 1: ${problem}`);
  });

  describe('choices of read versions may leave out a writer that comes later in the session', () => {
    // Operations: 0 w(x,1); 1 w(x,1); 2 r(x,1), 3 w(x,1), 4 r(x,0).
    const later = h`w(x,1)
      w(x,1)
      r(x,1) | w(x,1) | r(x,0)`;
    const both = [saw(2, 0), saw(2, 1)];
    const stale = never([], ww(3, -1, 3, 4, so(3, 4)), init(3));

    test('choices of read versions may leave out a writer that comes later in the session where sessions count', () => {
      expect(problemOf(later, 'causal', 'violated', proof(both, candidates(2, 1, 2), stale))).toBeNull();
      expect(
        problemOf(later, 'causal', 'violated', proof([...both, saw(2, 3)], candidates(2, 1, 2), stale)),
      ).toBeNull();
      expect(problemOf(later, 'plain-serializable', 'violated', proof(both, candidates(2, 1, 2), stale))).toContain(
        'step 1: operation 2 may have seen transaction 3, which the clause leaves out',
      );
    });

    test('choices of read versions leave out only later writers of the session', () => {
      expect(problemOf(later, 'causal', 'violated', proof(both, candidates(2, 1), stale))).toContain(
        'step 1: operation 2 may have seen transaction 1, which the clause leaves out',
      );
    });

    test('choices of read versions may not leave out all writers', () => {
      const onlyLater = h`r(x,1) | w(x,1) | w(x,1)`;
      expect(problemOf(onlyLater, 'causal', 'violated', proof([], candidates(0)))).toContain(
        'operation 0 may have seen transaction 1, which the clause leaves out',
      );
    });
  });

  test('choices of read versions are not needed where all writers but one come later in the session', () => {
    // Operations: 0 w(x,1); 1 r(x,1), 2 w(x,1), 3 w(x,1); 4 r(x,0).
    const certain = h`w(x,1)
      r(x,1) | w(x,1) | w(x,1) | r(x,0)`;
    const stale = cycle(ww(0, -1, 0, 4, wr(0, 1, 1), so(1, 4)), init(0));
    expect(problemOf(certain, 'causal', 'violated', stale)).toBeNull();
    expect(problemOf(certain, 'plain-serializable', 'violated', cycle(wr(0, 1, 1), so(1, 4)))).toContain(
      'edge 1, from transaction 0 to transaction 1: operation 1 may have read from several transactions',
    );
    const list = h`a(x,1)
      r(x,[1]) | a(x,1) | r(x,[])`;
    const torn = cycle(ww(0, -1, 0, 3, wr(0, 1, 1), so(1, 3)), init(0));
    expect(problemOf(list, 'causal', 'violated', torn)).toBeNull();
  });

  test('choices of read versions are needed where all writers come later in the session, and there are several', () => {
    const later = h`r(x,1) | w(x,1) | w(x,1)`;
    expect(problemOf(later, 'causal', 'violated', cycle(wr(1, 0, 0), so(0, 1)))).toContain('several transactions');
    const single = h`r(x,1) | w(x,1)`;
    expect(problemOf(single, 'causal', 'violated', cycle(wr(1, 0, 0), so(0, 1)))).toBeNull();
  });
});
