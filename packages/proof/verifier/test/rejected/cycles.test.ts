import { describe, expect, test } from 'vitest';
import type { LevelName } from '@isolab/contract';
import { commits, cycle, init, problemOf, rt, rw, so, wr, ww } from '../support/certificates.ts';
import { h } from '../support/notation.ts';
import { accepted, expectProblems, type Row } from '../support/problems.ts';

describe('cycles', () => {
  // 0: w(x,1); 1: r(x,1) w(y,1) | 2: r(y,0), a session; 3: r(y,1) r(x,0); 4 aborted: w(x,9); 5: w(x,2).
  // Operations: 0 w(x,1); 1 r(x,1), 2 w(y,1); 3 r(y,0); 4 r(y,1), 5 r(x,0); 6 w(x,9); 7 w(x,2).
  const history = h`w(x,1) @1-2
    r(x,1) w(y,1) @3-9 | r(y,0) @10-11
    r(y,1) r(x,0) @5-6
    !w(x,9)
    w(x,2)`;
  const level = 'causal';
  const stale = ww(0, -1, 0, 5, wr(0, 1, 1), wr(1, 3, 4));
  const visible = (...edges: Parameters<typeof cycle>) =>
    cycle({ ...stale, reason: { ...stale.reason, visible: edges } as never }, init(0));
  const because = (reason: unknown) => cycle(stale, { from: -1, to: 0, reason } as never);
  const at = (certificate: unknown, problem: string, atLevel: LevelName = level): Row => [
    problem,
    atLevel,
    certificate,
    problem,
  ];

  test('cycles are rejected where their edges form no cycle', () => {
    expectProblems(history, 'violated', accepted(level, cycle(stale, init(0))), [
      at(cycle(), 'there is no edge'),
      at(cycle(init(0)), 'the cycle does not close: it begins at the initial transaction and ends at transaction 0'),
      at(
        cycle(wr(0, 1, 1), wr(1, 3, 4)),
        'the cycle does not close: it begins at transaction 0 and ends at transaction 3',
      ),
      at(cycle(stale, init(1), wr(0, 1, 1)), 'edge 3 begins at transaction 0, but edge 2 ends at transaction 1'),
      at({ kind: 'cycle' }, 'the list of each edge is undefined, expected a list'),
      at({ kind: 'cycle', edges: [0] }, 'edge 1 is 0, expected an object'),
      at({ kind: 'cycle', edges: [[]] }, 'edge 1 is a list, expected an object'),
      at(cycle(so(1, 1)), 'edge 1, from transaction 1 to transaction 1: an edge needs two different transactions'),
      at(
        cycle({ ...init(0), from: '−1' as never }),
        'the field from of edge 1 is "−1", expected an integer from 0 to 5',
      ),
      at(cycle(init(6)), 'the field to of edge 1 is 6, expected an integer from 0 to 5'),
      at(cycle(init(NaN)), 'the field to of edge 1 is NaN, expected an integer from 0 to 5'),
      at(cycle(so(-2, 1)), 'the field from of edge 1 is -2, expected an integer from 0 to 5'),
      at(cycle(init(4)), 'the field to of edge 1 is transaction 4, which did not happen'),
      at({ kind: 'walk' }, 'the certificate is of kind "walk", which is not evidence of a violation'),
      at(commits(0, 1), 'the certificate is of kind "commit-order", which is not evidence of a violation'),
      at(
        cycle(stale, init(0)),
        'cut isolation orders nothing: an internal anomaly is the only evidence against it',
        'cut-isolation',
      ),
    ]);
  });

  test('cycles are rejected where a reason does not hold', () => {
    expectProblems(history, 'violated', accepted(level, cycle(stale, init(0))), [
      at(
        because({ kind: 'because' }),
        'edge 2, from the initial transaction to transaction 0: the reason is of kind "because", which does not exist',
      ),
      at(
        because(undefined),
        'edge 2, from the initial transaction to transaction 0: the reason is undefined, expected an object',
      ),
      at(
        because({ kind: 'session' }),
        'edge 2, from the initial transaction to transaction 0: the initial transaction belongs to no session',
      ),
      at(
        because({ kind: 'real-time' }),
        'edge 2, from the initial transaction to transaction 0: the initial transaction has no real time',
        'strict-serializable',
      ),
      at(
        because({ kind: 'assumed' }),
        'edge 2, from the initial transaction to transaction 0: no enclosing case assumes this edge',
      ),
      at(
        cycle({ ...init(1), from: 0 }),
        'edge 1, from transaction 0 to transaction 1: only the initial transaction precedes all others',
      ),
      at(cycle(so(0, 1)), 'edge 1, from transaction 0 to transaction 1: they belong to different sessions'),
      at(
        cycle(so(2, 1)),
        'edge 1, from transaction 2 to transaction 1: transaction 2 is earlier in the session'.replace(
          'transaction 2 is',
          'transaction 1 is',
        ),
      ),
      at(
        cycle(so(1, 2)),
        'edge 1, from transaction 1 to transaction 2: session order is not a reason at this level, plain-serializable',
        'plain-serializable',
      ),
      at(
        cycle(so(1, 2)),
        'edge 1, from transaction 1 to transaction 2: session order is not a reason at this level, read-committed-pl2',
        'read-committed-pl2',
      ),
      at(
        cycle(so(1, 2)),
        'edge 1, from transaction 1 to transaction 2: session order is not a reason at this level, adya-snapshot-isolation',
        'adya-snapshot-isolation',
      ),
      at(
        cycle(wr(0, 3, 4)),
        'edge 1, from transaction 0 to transaction 3: operation 4 does not read from transaction 0',
      ),
      at(cycle(wr(0, 1, 0)), 'edge 1, from transaction 0 to transaction 1: operation 0 is not a read'),
      at(
        cycle(wr(0, 1, 4)),
        'edge 1, from transaction 0 to transaction 1: operation 4 does not belong to transaction 1',
      ),
      at(
        cycle(wr(0, 1, 8)),
        'edge 1, from transaction 0 to transaction 1: the read is 8, expected an integer from 0 to 7',
      ),
      at(
        cycle(wr(0, 1, '1' as never)),
        'edge 1, from transaction 0 to transaction 1: the read is "1", expected an integer from 0 to 7',
      ),
      at(
        cycle(rt(0, 1)),
        'edge 1, from transaction 0 to transaction 1: real time is not a reason at this level, causal',
      ),
      at(
        cycle(rt(1, 3)),
        'edge 1, from transaction 1 to transaction 3: transaction 1 had not returned when transaction 3 was called',
        'strict-serializable',
      ),
      at(
        cycle(rt(5, 3)),
        'edge 1, from transaction 5 to transaction 3: transaction 5 had not returned when transaction 3 was called',
        'strict-serializable',
      ),
      at(
        cycle(rt(2, 0)),
        'edge 1, from transaction 2 to transaction 0: real time puts no event of transaction 2 before one of transaction 0',
        'strong-snapshot-isolation',
      ),
      at(
        cycle(rw(3, 0, 5, 0, init(0))),
        'edge 1, from transaction 3 to transaction 0: an overwritten read is not a reason at this level, causal',
      ),
    ]);
  });

  test('cycles are rejected where an overwriting transaction is not shown to be visible', () => {
    const where = 'edge 1, from transaction 0 to the initial transaction';
    expectProblems(history, 'violated', accepted(level, cycle(stale, init(0))), [
      at(visible(), `${where}: there is no visible edge`),
      at(
        visible(wr(0, 1, 1)),
        `${where}: the visible edges end at transaction 1, but operation 5 belongs to transaction 3`,
      ),
      at(visible(wr(1, 3, 4)), `${where}: the visible edges begin at transaction 1`),
      at(
        visible(wr(0, 1, 1), so(1, 2)),
        `${where}: the visible edges end at transaction 2, but operation 5 belongs to transaction 3`,
      ),
      at(
        visible(wr(0, 1, 1), wr(0, 3, 4)),
        `${where}: visible edge 2, from transaction 0 to transaction 3: operation 4 does not read from transaction 0`,
      ),
      at(
        visible(wr(0, 1, 1), so(2, 3)),
        `${where}: visible edge 2, from transaction 2 to transaction 3: they belong to different sessions`,
      ),
      at(
        visible(wr(1, 3, 4), wr(0, 1, 1)),
        `${where}: visible edge 2 begins at transaction 0, but visible edge 1 ends at transaction 3`,
      ),
      at(cycle(ww(0, -1, 2, 5, wr(0, 1, 1))), `${where}: operation 2 does not belong to transaction 0`),
      at(cycle(ww(0, -1, 5, 5, wr(0, 1, 1))), `${where}: operation 5 is not a write`),
      at(cycle(ww(0, -1, 0, 0, wr(0, 1, 1))), `${where}: operation 0 is not a read`),
      at(cycle(ww(0, -1, 0, 3, wr(0, 1, 1))), `${where}: operations 3 and 0 use different keys`),
      at(cycle(ww(0, -1, 0, 1, wr(0, 1, 1))), `${where}: operation 1 does not read from the initial transaction`),
      at(
        cycle(ww(0, 5, 7, 5, wr(0, 1, 1))),
        'edge 1, from transaction 0 to transaction 5: operation 7 does not belong to transaction 0',
      ),
      at(
        cycle(ww(0, 5, 0, 5, wr(0, 1, 1))),
        'edge 1, from transaction 0 to transaction 5: operation 5 does not read from transaction 5',
      ),
      at(
        cycle(stale, init(0)),
        `${where}: at read-atomic, only one session or read-from edge makes a transaction visible`,
        'read-atomic',
      ),
      at(
        cycle(stale, init(0)),
        `${where}: at read-committed, only an earlier read from it makes a transaction visible`,
        'read-committed',
      ),
      at(
        cycle(stale, init(0)),
        `${where}: visibility to a reader is not a reason at this level, read-committed-pl2`,
        'read-committed-pl2',
      ),
      at(
        visible(ww(0, -1, 0, 5, wr(0, 1, 1), wr(1, 3, 4)), init(3)),
        `${where}: at causal, only session and read-from edges make a transaction visible`,
      ),
    ]);
  });

  test('cycles are rejected where read committed does not count the earlier read', () => {
    const back = h`w(x,1) w(y,1)
      r(y,0) r(x,1) r(x,0)`;
    const valid = accepted('read-committed-dbcop', cycle(ww(0, -1, 0, 4, wr(0, 1, 3)), init(0)));
    const where = 'edge 1, from transaction 0 to the initial transaction';
    expectProblems(back, 'violated', valid, [
      at(
        valid[2],
        `${where}: operations 3 and 4 read the same key, which does not count at read-committed`,
        'read-committed',
      ),
      at(
        cycle(ww(0, -1, 1, 2, wr(0, 1, 3)), init(0)),
        `${where}: operation 3 is not in a statement before that of operation 2`,
        'read-committed',
      ),
      at(
        cycle(ww(0, -1, 1, 2, wr(0, 1, 3)), init(0)),
        `${where}: operation 3 is not in a statement before that of operation 2`,
        'read-committed-dbcop',
      ),
    ]);
  });

  test('cycles are rejected where anti-dependencies do not add up', () => {
    // Operations: 0 r(x,0), 1 r(y,0), 2 w(x,1); 3 r(x,0), 4 r(y,0), 5 w(y,1).
    const skew = h`r(x,0) r(y,0) w(x,1)
      r(x,0) r(y,0) w(y,1)`;
    const first = rw(0, 1, 1, 5, init(1));
    const second = rw(1, 0, 3, 2, init(0));
    const where = 'edge 1, from transaction 0 to transaction 1';
    expectProblems(skew, 'violated', accepted('serializable', cycle(first, second)), [
      at(
        cycle(first, second),
        'edge 1 leads only to the commit of transaction 1, but edge 2 starts from its begin',
        'snapshot-isolation',
      ),
      at(
        cycle(first, second),
        'edge 1 leads only to the commit of transaction 1, but edge 2 starts from its begin',
        'prefix',
      ),
      at(cycle(rw(0, 1, 1, 5), second), `${where}: there is no order edge`, 'serializable'),
      at(cycle(rw(0, 1, 1, 5, init(0)), second), `${where}: the order edges end at transaction 0`, 'serializable'),
      at(
        cycle(rw(0, 1, 1, 5, second, first), second),
        `${where}: operation 1 does not read from transaction 1`,
        'serializable',
      ),
      at(
        cycle(rw(0, 1, 4, 5, init(1)), second),
        `${where}: operation 4 does not belong to transaction 0`,
        'serializable',
      ),
      at(
        cycle(rw(0, 1, 1, 2, init(1)), second),
        `${where}: operation 2 does not belong to transaction 1`,
        'serializable',
      ),
      at(cycle(rw(0, 1, 0, 5, init(1)), second), `${where}: operations 0 and 5 use different keys`, 'serializable'),
      at(
        cycle(first, rt(1, 0)),
        'edge 2, from transaction 1 to transaction 0: real time is not a reason at this level, serializable',
        'serializable',
      ),
      at(
        cycle(first, rt(1, 0)),
        'edge 2, from transaction 1 to transaction 0: transaction 1 had not returned when transaction 0 was called',
        'strict-serializable',
      ),
    ]);
  });

  test('cycles are rejected where the visible edges do not reach from a commit to a begin', () => {
    // Operations: 0 r(x,0), 1 w(y,1); 2 w(x,1), 3 r(y,0).
    const skew = h`r(x,0) w(y,1)
      w(x,1) r(y,0)`;
    const anti = rw(0, 1, 0, 2, init(1));
    const certificate = cycle(ww(0, -1, 1, 3, anti), init(0));
    expectProblems(skew, 'violated', accepted('serializable', certificate), [
      at(
        certificate,
        'edge 1, from transaction 0 to the initial transaction: the visible edges do not show that the commit of transaction 0 is before the begin of transaction 1',
        'snapshot-isolation',
      ),
    ]);
  });

  test('cycles with an edge between keys are rejected at levels that order each key separately', () => {
    const keys = h`w(x,1) @1-2 | w(y,1) @3-4`;
    const problems = [so(0, 1), rt(0, 1)].map((edge) => problemOf(keys, 'linearizable', 'violated', cycle(edge)));
    const problem =
      'edge 1, from transaction 0 to transaction 1: they use different keys, which linearizable does not order';
    expect(problems).toEqual([problem, problem]);
  });

  test('cycles of transactions with several keys are rejected at linearizability', () => {
    const several = h`w(y,2) w(x,2)
      r(x,0) | w(x,0)
      r(y,2)`;
    expect(problemOf(several, 'linearizable', 'violated', cycle(init(0), so(1, 2)))).toBe(
      'transaction 0 uses several keys, but linearizability is about single operations',
    );
    const unseen = h`w(x,1) | r(x,0)
      ?r(x,0) r(y,0)`;
    const staleCycle = cycle(so(0, 1), rw(1, 0, 1, 0, init(0)));
    expect(problemOf(unseen, 'linearizable', 'violated', staleCycle)).toBeNull();
  });

  test('cycles are rejected where a read has several possible writers', () => {
    const several = h`w(x,1)
      w(x,1)
      r(x,1)`;
    expect(problemOf(several, 'causal', 'violated', cycle(wr(0, 2, 2)))).toBe(
      'edge 1, from transaction 0 to transaction 2: operation 2 may have read from several transactions, because the value was written more than once',
    );
  });

  test('cycles are rejected where a read may be of the initial state, and real time counts', () => {
    const late = h`w(x,0) @5-6
      r(x,0) @1-2`;
    expect(problemOf(late, 'strict-serializable', 'violated', cycle(wr(0, 1, 1), rt(1, 0)))).toBe(
      'edge 1, from transaction 0 to transaction 1: operation 1 may have read from several transactions, because the value was written more than once',
    );
  });
});
