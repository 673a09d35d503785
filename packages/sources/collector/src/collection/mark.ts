import { KINDS, type Kind } from '../database/kinds.ts';
import { answerTo, type Question } from '../database/answers.ts';
import type { Connection, DataKind } from '../database/database.ts';
import { Aborted, CollectorError } from '../database/errors.ts';

/** No workload has this key: beside the data, it says whose they are. */
const MARK_KEY = -1;

/** Writes into fresh tables which history they belong to. */
export function markTables(connection: Connection, data: DataKind, run: number): Promise<void> {
  return inTransaction(connection, async () => void (await ask(connection, kindOf(data).put(MARK_KEY, run))));
}

/** Returns whether the tables belong to that history. */
export function isMarked(connection: Connection, data: DataKind, run: number): Promise<boolean> {
  const { get, values } = kindOf(data);
  return inTransaction(connection, async () => values(await ask(connection, get(MARK_KEY))).includes(run));
}

/** Beside tables of a workload stands one of ours. */
const kindOf = (data: DataKind): Kind => KINDS[data === 'tables' ? 'registers' : data];

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
