import type { TableRow } from '@isolab/workloads';
import { type Check, all, same } from './checks.ts';
import { TRIAL_TABLE as table } from '../database/kinds.ts';

/** Checks of statements on a workload's own tables: their effects and their reported results. */
export const TABLE_CHECKS: readonly Check[] = [
  {
    name: 'statements on rows return the rows that they found and changed',
    expected: 'the matching rows, by key and by condition, with their versions before and after',
    async run(trial) {
      const ids = [trial.newKey(), trial.newKey(), trial.newKey()];
      const [none, a] = [trial.newKey(), trial.newValue()];
      const rows = ids.map((id, at): TableRow => ({
        id,
        a: at < 2 ? a : a + 1000,
        open: at !== 1,
        v: trial.newValue(),
      }));
      const v = trial.newValue();
      const mine = ['in', 'id', ids] as const;
      const changed = { ...rows[0]!, open: false, v };
      const answers = await trial.commit(
        await trial.connect(),
        ...rows.map((row) => ({ kind: 'insert-row', table, row }) as const),
        { kind: 'insert-row', table, row: { ...rows[0]!, v }, ifAbsent: true },
        { kind: 'get', table, id: none },
        { kind: 'update', table, where: ['and', ['=', 'a', a], ['=', 'open', true]], set: { open: false, v } },
        { kind: 'aggregate', table, where: ['and', mine, ['=', 'open', false]], of: { kind: 'count' } },
        { kind: 'aggregate', table, where: mine, of: { kind: 'max', column: 'a' } },
        { kind: 'delete-rows', table, where: ['and', mine, ['between', 'a', a + 1000, a + 1001]] },
        { kind: 'join', table, where: ['=', 'id', ids[0]!], by: 'id', other: table },
      );
      const expected = [
        ...rows.map(() => true),
        false,
        null,
        [{ old: rows[0], row: changed }],
        2,
        a + 1000,
        [{ id: ids[2], old: rows[2] }],
        [{ row: changed, other: changed }],
      ];
      const left = (await trial.freshAnswer({ kind: 'select', table, where: mine })) as readonly TableRow[];
      return all(
        ...expected.map((one, at) => same(`answer ${at + 1}`, answers[at], one)),
        same(
          'final rows',
          left.toSorted((one, other) => one.id - other.id),
          [changed, rows[1]],
        ),
      );
    },
  },
];
