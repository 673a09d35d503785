import type { LevelName } from '@isolab/contract';
import { readDocumentAt } from '@isolab/formats';
import { loadChecker, prepare, run } from '@isolab/runner';
import { realHistories, realHistory, unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';

interface Entry {
  readonly id: string;
  readonly format: string;
  readonly location: string;
  readonly database: string | null;
  readonly failed_ops: number | null;
}

const entries = realHistories<Entry>().filter(
  ({ id, format }) => id.startsWith('VeriStrong:table2/') && format === 'dbcop-bincode',
);

/** The figures of docs/rollback-reading.md: how many of the histories with failed statements satisfy each level. */
const FIGURES = [
  {
    database: 'CockroachDB',
    histories: 56,
    failedStatements: 2454,
    without: 12,
    published: {
      'read-committed': 56,
      'read-atomic': 26,
      causal: 21,
      prefix: 18,
      'snapshot-isolation': 17,
      serializable: 8,
    },
  },
  {
    database: 'MySQL-Galera',
    histories: 31,
    failedStatements: 166,
    without: 5,
    published: {
      'read-committed': 17,
      'read-atomic': 8,
      causal: 4,
      prefix: 4,
      'snapshot-isolation': 3,
      serializable: 0,
    },
  },
] as const;

const weave = await loadChecker('@isolab/weave', new URL(import.meta.url));

async function satisfies(entry: Entry, level: LevelName, failedStatements: 'published' | 'rollback'): Promise<boolean> {
  const document = await readDocumentAt(realHistory(entry.location), { failedStatements });
  if (document.kind !== 'history') throw new Error(`${entry.id} is a ${document.kind}`);
  const { verdict } = await run({ checker: weave, prepared: prepare(document.history), level }, { place: 'thread' });
  expect(verdict.status).not.toBe('unknown');
  return verdict.status === 'satisfied';
}

async function countSatisfying(of: readonly Entry[], level: LevelName, reading: 'published' | 'rollback') {
  let count = 0;
  for (const entry of of) if (await satisfies(entry, level, reading)) count++;
  return count;
}

describe.each(FIGURES)(
  'failed statements of $database, where ISOLAB_DATASETS points',
  unless('datasets'),
  ({ database, histories, failedStatements, without, published }) => {
    const own = entries.filter((entry) => entry.database?.startsWith(database));
    const failing = own.filter(({ failed_ops }) => (failed_ops ?? 0) > 0);
    const others = own.filter((entry) => !failing.includes(entry));

    test('failed statements are in as many histories as the page says', () => {
      expect(failing).toHaveLength(histories);
      expect(others).toHaveLength(without);
      expect(failing.reduce((sum, { failed_ops }) => sum + failed_ops!, 0)).toBe(failedStatements);
    });

    test.each(Object.entries(published) as [LevelName, number][])(
      'at %s, %i histories satisfy the level if they did nothing, and all if they rolled back',
      async (level, count) => {
        expect(await countSatisfying(failing, level, 'published')).toBe(count);
        expect(await countSatisfying(failing, level, 'rollback')).toBe(histories);
      },
    );

    test('histories without any are serializable under both readings', async () => {
      expect(await countSatisfying(others, 'serializable', 'published')).toBe(without);
      expect(await countSatisfying(others, 'serializable', 'rollback')).toBe(without);
    });
  },
);
