import type { Row } from '@isolab/workloads';
import { answerTo, type Question } from './answers.ts';
import type { Connection, DataKind } from './database.ts';
import { Aborted, CollectorError } from './errors.ts';

/** No workload has this key: beside the data, it says whose they are. */
const MARK_KEY = -1;

/** Writes into fresh tables which history they belong to. */
export function markTables(connection: Connection, data: DataKind, run: number): Promise<void> {
  const question = (
    {
      registers: { kind: 'write', key: MARK_KEY, value: run },
      lists: { kind: 'append', key: MARK_KEY, value: run },
      rows: { kind: 'insert', key: MARK_KEY, value: run },
      tables: { kind: 'write', key: MARK_KEY, value: run }, // in a table of ours beside them
    } as const
  )[data];
  return inTransaction(connection, async () => void (await ask(connection, question)));
}

/** Returns whether the tables belong to that history. */
export function isMarked(connection: Connection, data: DataKind, run: number): Promise<boolean> {
  const question = (
    {
      registers: { kind: 'read', key: MARK_KEY },
      lists: { kind: 'read-list', key: MARK_KEY },
      rows: { kind: 'range', low: MARK_KEY, high: MARK_KEY },
      tables: { kind: 'read', key: MARK_KEY },
    } as const
  )[data];
  return inTransaction(connection, async () => {
    const answer = await ask(connection, question);
    const held: readonly (number | null | Row)[] = Array.isArray(answer) ? answer : [answer as number | null];
    return held.some((one) => (typeof one === 'object' && one !== null ? one.value : one) === run);
  });
}

const ask = async (connection: Connection, question: Question) => answerTo(question, await connection.ask(question));

async function inTransaction<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      await connection.begin();
      const result = await work();
      await connection.commit();
      return result;
    } catch (error) {
      if (!(error instanceof Aborted)) throw error;
      if (attempts === MOST_ATTEMPTS)
        throw new CollectorError(`The database refused the first transaction: ${error.message}`, { cause: error });
      await connection.rollback();
    }
  }
}

const MOST_ATTEMPTS = 10;
