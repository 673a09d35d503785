import type { DataKind } from '../database/database.ts';
import { CollectorError } from '../database/errors.ts';
import { type Check, all, same } from './checks.ts';
import { TABLE_CHECKS } from './table-checks.ts';
import { ask, notShown } from './trial.ts';

/** Checks that apply to one kind of data. */
export const OWN_CHECKS: Readonly<Record<DataKind, readonly Check[]>> = {
  registers: [
    {
      name: 'a later write replaces the earlier one',
      expected: 'the later value',
      async run(trial) {
        const [key, first, second] = [trial.newKey(), trial.newValue(), trial.newValue()];
        const session = await trial.connect();
        await trial.commit(session, { kind: 'write', key, value: first });
        await trial.commit(session, { kind: 'write', key, value: second });
        return same('value', await trial.freshAnswer({ kind: 'read', key }), second);
      },
    },
    {
      name: 'compare-and-set writes if the key has the expected value',
      expected: 'true and a write if it has, otherwise false and no write',
      async run(trial) {
        const [key, first, second] = [trial.newKey(), trial.newValue(), trial.newValue()];
        const session = await trial.connect();
        await session.begin();
        const set = (expected: number | null, value: number) =>
          ask(session, { kind: 'compare-and-set', key, expected, value });
        let absent;
        try {
          absent = await set(null, first);
        } catch (error) {
          if (!(error instanceof CollectorError)) throw error;
          await session.rollback();
          return notShown(`not supported: ${error.message}`);
        }
        const [wrong, right] = [await set(second, first + 1000), await set(first, second)];
        await session.commit();
        const answers = [absent, wrong, right, await trial.freshAnswer({ kind: 'read', key })];
        return same('absent key, wrong value, right value, and the final value', answers, [true, false, true, second]);
      },
    },
  ],
  counters: [
    {
      name: 'increments add up',
      expected: 'the sum',
      async run(trial) {
        const key = trial.newKey();
        const sessions = [await trial.connect(), await trial.connect()];
        for (const [at, value] of [1, 2, 2 ** 40].entries())
          await trial.commit(sessions[at % 2]!, { kind: 'increment', key, value });
        return same('value', await trial.freshAnswer({ kind: 'read', key }), 3 + 2 ** 40);
      },
    },
  ],
  lists: [
    {
      name: 'appended values are at the end, in commit order',
      expected: 'all values, in order',
      async run(trial) {
        const key = trial.newKey();
        const values = [3, 1, 2, 10, 9].map((value) => value * 1000);
        const sessions = [await trial.connect(), await trial.connect()];
        for (const [at, value] of values.entries())
          await trial.commit(sessions[at % 2]!, { kind: 'append', key, value });
        return same('list', await trial.freshAnswer({ kind: 'read-list', key }), values);
      },
    },
  ],
  rows: [
    {
      name: 'insert and delete return the row that they found, and write accordingly',
      expected: '[] at first; then the row, which a second insert keeps; a tombstone after the delete',
      async run(trial) {
        const [key, first, second, gone, again] = [trial.newKey(), ...[1, 2, 3, 4].map(() => trial.newValue())] as [
          number,
          ...[number, number, number, number],
        ];
        const answers = await trial.commit(
          await trial.connect(),
          { kind: 'delete', key, value: second },
          { kind: 'insert', key, value: first },
          { kind: 'insert', key, value: second },
          { kind: 'delete', key, value: gone },
          { kind: 'delete', key, value: second },
          { kind: 'insert', key, value: again },
        );
        const row = (value: number, dead: boolean) => [{ key, value, dead }];
        const expected = [[], [], row(first, false), row(first, false), row(gone, true), row(gone, true)];
        const last = await trial.freshAnswer({ kind: 'range', low: key, high: key });
        return all(same('answers', answers, expected), same('final rows', last, row(again, false)));
      },
    },
    {
      name: 'reads and writes also apply to rows',
      expected: 'a written row in a range and in a read; null for a missing row',
      async run(trial) {
        const [key, first, second] = [trial.newKey(), trial.newValue(), trial.newValue()];
        const session = await trial.connect();
        await session.begin();
        let absent;
        try {
          absent = await ask(session, { kind: 'read', key });
          await ask(session, { kind: 'write', key, value: first });
        } catch (error) {
          if (!(error instanceof CollectorError)) throw error;
          await session.rollback();
          return notShown(`not supported: ${error.message}`);
        }
        await session.commit();
        const range = { kind: 'range', low: key, high: key } as const;
        const row = (value: number) => [{ key, value, dead: false }];
        const shown = await trial.freshAnswer(range);
        await trial.commit(session, { kind: 'write', key, value: second });
        const answers = [absent, shown, await trial.freshAnswer(range), await trial.freshAnswer({ kind: 'read', key })];
        return same('absent, shown, rewritten, read', answers, [null, row(first), row(second), second]);
      },
    },
    {
      name: 'a range returns its rows, including tombstones, and no other rows',
      expected: 'the rows from the lower to the upper bound, inclusive',
      async run(trial) {
        const keys = [1, 2, 3, 4].map(() => trial.newKey());
        const value = trial.newValue();
        const dead = trial.newValue();
        const session = await trial.connect();
        await trial.commit(session, ...keys.map((key) => ({ kind: 'insert', key, value }) as const));
        await trial.commit(session, { kind: 'delete', key: keys[1]!, value: dead });
        const found = await trial.freshAnswer({ kind: 'range', low: keys[1]!, high: keys[2]! });
        const rows = (found as readonly { key: number }[]).toSorted((a, b) => a.key - b.key);
        return same('rows', rows, [
          { key: keys[1], value: dead, dead: true },
          { key: keys[2], value, dead: false },
        ]);
      },
    },
  ],
  tables: TABLE_CHECKS,
};
