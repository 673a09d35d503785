import type { Answer } from '@isolab/workloads';
import { type Question, answerTo, spelled } from '../database/answers.ts';
import { connectFirst, closedConnection } from '../collection/connect.ts';
import type { Connection, Database, Isolation } from '../database/database.ts';
import { Aborted } from '../database/errors.ts';
import { pause, within } from '@isolab/engines';

/** Result of a check: null where nothing could be shown. */
export interface Shown {
  readonly holds: boolean | null;
  readonly found: string;
}

export const held: Shown = { holds: true, found: '' };
export const broken = (found: string): Shown => ({ holds: false, found });
export const notShown = (found: string): Shown => ({ holds: null, found });

/** The database under test, asked with patience that ends. */
export class Trial {
  readonly database: Database;
  readonly isolation: Isolation;
  readonly #connections = new Set<Connection>();
  #keys = 0;
  #values = 0;

  constructor(database: Database, isolation: Isolation) {
    this.database = database;
    this.isolation = isolation;
  }

  /** A key that no check has used. */
  newKey(): number {
    return ++this.#keys;
  }

  newValue(): number {
    return ++this.#values;
  }

  async connect(isolation = this.isolation): Promise<Connection> {
    const options = { database: this.database, isolation, connectMs: ANSWER_MS, sessions: 4 };
    const connection = bounded(await connectFirst(options));
    this.#connections.add(connection);
    return connection;
  }

  /** Ends the remains of a check. */
  async clear(): Promise<void> {
    for (const connection of this.#connections) await closedConnection(connection);
    this.#connections.clear();
  }

  /** A whole transaction with its answers, attempted until the database does not abort it. */
  async commit(connection: Connection, ...questions: readonly Question[]): Promise<Answer[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        await connection.begin();
        const answers: Answer[] = [];
        for (const question of questions) answers.push(await ask(connection, question));
        await connection.commit();
        return answers;
      } catch (error) {
        if (!(error instanceof Aborted) || attempt === MOST_ATTEMPTS) throw error;
        await connection.rollback();
        await pause(5 * attempt);
      }
    }
  }

  /** Returns the answer to a new session. */
  async freshAnswer(question: Question): Promise<Answer> {
    const [answer] = await this.commit(await this.connect(), question);
    return answer;
  }
}

/** Error of a database that does not answer, which ends all questions. */
export class Silence extends Error {}

/** Returns one answer, through the check that all answers pass. */
export const ask = async (connection: Connection, question: Question): Promise<Answer> =>
  answerTo(question, await connection.ask(question));

/** Returns the result of the promise, or null where it takes longer: a session then waits for a lock. */
export async function soon<T>(promise: Promise<T>): Promise<{ readonly is: T } | null> {
  promise.catch(() => {}); // callers that still wait get the error
  return Promise.race([promise.then((is) => ({ is })), pause(LOCK_MS).then(() => null)]);
}

/** The connection, whose answers are not waited for forever. */
function bounded(connection: Connection): Connection {
  const asked = <T>(what: string, answer: Promise<T>): Promise<T> =>
    within(ANSWER_MS, answer, () => new Silence(`no answer to ${what} for ${ANSWER_MS / 1000} seconds`));
  return {
    begin: () => asked('begin', connection.begin()),
    ask: (question) => asked(spelled(question), connection.ask(question)),
    commit: () => asked('commit', connection.commit()),
    rollback: () => asked('rollback', connection.rollback()),
    close: () => connection.close(),
    abandon: () => connection.abandon(),
  };
}

const ANSWER_MS = 5_000;
const LOCK_MS = 200;
const MOST_ATTEMPTS = 20;
