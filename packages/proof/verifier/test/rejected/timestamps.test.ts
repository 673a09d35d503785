import { type PlainOperation, type PlainTransaction, fromPlain } from '@isolab/history';
import { describe, test } from 'vitest';
import { accepted, expectProblems } from '../support/problems.ts';

const at = (
  startTs: bigint,
  commitTs: bigint,
  status: PlainTransaction['status'],
  ...operations: PlainOperation[]
): PlainTransaction => ({ status, operations, startTs, commitTs });
const write = (key: string, value: bigint): PlainOperation => ({ kind: 'write', key, value });
const read = (key: string, value: bigint): PlainOperation => ({ kind: 'read', key, value });
const append = (value: bigint): PlainOperation => ({ kind: 'append', key: 'l', value });
const shown = (...elements: bigint[]): PlainOperation => ({ kind: 'list-read', key: 'l', elements });
const sessions = (...transactions: readonly PlainTransaction[]) =>
  fromPlain({ initial: 0n, sessions: transactions.map((one, s) => ({ name: BigInt(s), transactions: [one] })) });

/** A committed writer, one of unknown outcome after it, and three later readers. */
const withReaders = (committed: PlainOperation, open: PlainOperation, ...reads: readonly PlainOperation[]) =>
  sessions(
    at(1n, 2n, 'committed', committed),
    at(3n, 4n, 'unknown', open),
    ...reads.map((one, i) => at(5n, BigInt(6 + i), 'committed', one)),
  );

const stale = (operation: number, place = 'start'): object => ({
  kind: 'timestamps',
  axiom: 'EXT',
  read: operation,
  at: place,
});

describe('timestamps', () => {
  test('timestamps prove a read wrong only if it saw no version that was or may have been committed', () => {
    // Operations: 0: w(x,1) | 1: ?w(x,2) | 2: r(x,0) | 3: r(x,1) | 4: r(x,2)
    const history = withReaders(write('x', 1n), write('x', 2n), read('x', 0n), read('x', 1n), read('x', 2n));
    expectProblems(history, 'violated', accepted('snapshot-isolation', stale(2)), [
      ['the latest committed', 'snapshot-isolation', stale(3), 'operation 3 saw the version that the timestamps imply'],
      [
        'one of unknown outcome',
        'snapshot-isolation',
        stale(4),
        'operation 4 may have seen transaction 1, whose outcome is unknown',
      ],
      ['a write', 'snapshot-isolation', stale(0), 'operation 0 is not a read'],
      [
        'at the commit',
        'snapshot-isolation',
        stale(2, 'commit'),
        'the snapshot is taken at "commit", but snapshot-isolation takes it at "start"',
      ],
    ]);
  });

  test('timestamps prove a read of a list wrong, but not by an element of unknown outcome', () => {
    // Operations: 0: a(l,1) | 1: ?a(l,2) | 2: l(l) | 3: l(l,1) | 4: l(l,1,2)
    const history = withReaders(append(1n), append(2n), shown(), shown(1n), shown(1n, 2n));
    expectProblems(history, 'violated', accepted('snapshot-isolation', stale(2)), [
      ['what was committed', 'snapshot-isolation', stale(3), 'operation 3 saw the version that the timestamps imply'],
      [
        'an element of unknown outcome',
        'snapshot-isolation',
        stale(4),
        'operation 4 may have seen transaction 1, whose outcome is unknown',
      ],
    ]);
  });

  test('a transaction whose timestamps are equal does not see itself', () => {
    const history = sessions(
      at(2n, 2n, 'committed', read('x', 0n), write('x', 1n)),
      at(2n, 3n, 'committed', read('x', 0n)),
    );
    expectProblems(history, 'violated', accepted('snapshot-isolation', stale(2)), [
      ['its own write', 'snapshot-isolation', stale(0), 'operation 0 saw the version that the timestamps imply'],
    ]);
  });
});
