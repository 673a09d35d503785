import { Exchange, ReadFrom, UNKNOWN, buildReadFrom, toPlain } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { readEdn, register, transactionsOf } from './support/jepsen-events.ts';

describe('calls on one object', () => {
  const cas = (observed: bigint, written: bigint, failed: boolean) => ({
    kind: 'compare-and-set',
    key: 'register',
    observed,
    written,
    failed,
  });

  test('calls on one object read, write and compare a register, and only a failed comparison takes place', async () => {
    expect(
      await transactionsOf(
        '0 invoke read',
        '0 ok read 3',
        '1 invoke cas [1 2]',
        '1 fail cas [1 2]',
        '2 invoke write 7',
        '2 info write :timed-out',
      ),
    ).toMatchObject([
      { status: 'committed', operations: [register(3n)] },
      { status: 'committed', operations: [cas(1n, 2n, true)] },
      { status: 'unknown', operations: [{ kind: 'write', value: 7n }] },
    ]);
  });

  test.each([
    ['names a reason', '0 fail cas :timed-out', []],
    ['states an error', '0 fail cas [1 2], :error nil', []],
    ['is in company of failed reads', '0 fail cas [1 2]', ['1 invoke read nil', '1 fail read nil']],
  ])('calls on one object show no value of the register if a failed comparison %s', async (_, completion, others) => {
    expect((await transactionsOf('0 invoke cas [1 2]', completion, ...others))[0]).toMatchObject({
      status: 'aborted',
      operations: [cas(1n, 2n, false)],
    });
  });

  test('calls on one object have no result of a failed read', async () => {
    expect(await transactionsOf('0 invoke read 4', '0 fail read 4', '0 invoke read nil')).toMatchObject([
      { status: 'aborted', operations: [register(UNKNOWN)] },
      { status: 'unknown', operations: [register(UNKNOWN)] },
    ]);
  });

  test('calls on one object acquire and release a lock, which is initially free', async () => {
    const history = await readEdn(
      '0 invoke acquire',
      '1 invoke acquire',
      '1 fail acquire',
      '0 ok acquire',
      '0 invoke release',
      '0 ok release',
    );
    expect(toPlain(history).initialOf).toEqual([['mutex', 'free']]);
    expect([...history.exchanges.flags]).not.toContain(Exchange.Failed);
    // The first one saw it free as it was at first, or freed again: only time decides.
    expect([...buildReadFrom(history).readFrom]).toContain(ReadFrom.Ambiguous);
    expect(toPlain(history).sessions.flatMap(({ transactions }) => transactions)).toMatchObject([
      { status: 'committed', operations: [{ key: 'mutex', observed: 'free', written: 'held' }] },
      { status: 'committed', operations: [{ key: 'mutex', observed: 'held', written: 'free' }] },
      { status: 'aborted', operations: [{ key: 'mutex', observed: 'free', written: 'held' }] },
    ]);
  });

  test.each(['add', 'write'])('%s elements of a set, which reads show as a whole', async (f) => {
    expect(
      await transactionsOf(
        `0 invoke ${f} 5`,
        `0 ok ${f} 5`,
        '1 invoke read nil',
        '1 ok read #{5 6}',
        '1 invoke read nil',
      ),
    ).toMatchObject([
      { operations: [{ kind: 'write', key: 5n, value: 5n }] },
      {
        operations: [
          {
            kind: 'range-read',
            low: null,
            high: null,
            rows: [
              { key: 5n, value: 5n },
              { key: 6n, value: 6n },
            ],
          },
        ],
      },
      { status: 'unknown', operations: [] },
    ]);
  });

  test.each([
    ['a counter', ['0 invoke add 1', '0 ok add 1', '0 invoke read nil', '0 ok read 1']],
    [
      'a bank',
      [
        '0 invoke transfer {:from 1, :to 2, :amount 3}',
        '0 fail transfer nil',
        '0 invoke read nil',
        '0 ok read {1 10, 2 10}',
      ],
    ],
    [
      'a bank that is only read',
      ['0 invoke read nil', '0 ok read {1 10, 2 10}', '0 invoke read nil', '0 info read nil'],
    ],
    ['many sets', ['0 invoke add [0 1]', '0 ok add [0 1]', '0 invoke read [0 nil]', '0 ok read [1]']],
  ])('calls on one object of %s become transactions without operations', async (_, events) => {
    const history = await readEdn(...events);
    expect([...history.txnStart]).toEqual([0, 0, 0]);
    expect(history.source.notes).toEqual({ events: 4, unmodelledOperations: 2 });
  });
});
