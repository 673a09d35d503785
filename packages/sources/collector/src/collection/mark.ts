import { KINDS, type Kind } from '../database/kinds.ts';
import { answerTo, type Question } from '../database/answers.ts';
import type { Connection, DataKind } from '../database/database.ts';
import { Aborted, CollectorError } from '../database/errors.ts';

/** Key, used by no workload, whose value identifies the history that the data belong to. */
const MARK_KEY = -1;

/** Marks new tables with the number of their history. */
export function markTables(connection: Connection, data: DataKind, run: number): Promise<void> {
  return inTransaction(connection, async () => void (await ask(connection, kindOf(data).put(MARK_KEY, run))));
}

/** Returns whether the tables carry the mark of the history. */
export function isMarked(connection: Connection, data: DataKind, run: number): Promise<boolean> {
  const { get, values } = kindOf(data);
  return inTransaction(connection, async () => values(await ask(connection, get(MARK_KEY))).includes(run));
}

/** A workload with tables of its own has isolab's table of registers beside them. */
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
