import type { Answer } from '@isolab/workloads';
import { type Question, answerTo, spelled } from '../database/answers.ts';
import { connectFirst, closedConnection } from '../collection/connect.ts';
import type { Connection, Database, Isolation } from '../database/database.ts';
import { Aborted } from '../database/errors.ts';
import { pause, within } from '@isolab/engines';

/** Result of a check; null where the check was inconclusive. */
export interface Shown {
  readonly holds: boolean | null;
  readonly found: string;
}

export const held: Shown = { holds: true, found: '' };
export const broken = (found: string): Shown => ({ holds: false, found });
export const notShown = (found: string): Shown => ({ holds: null, found });

/** The database under test, with a time limit for each answer. */
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

  /** Returns a key that no check has used. */
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

  /** Closes the sessions that a check left open. */
  async clear(): Promise<void> {
    for (const connection of this.#connections) await closedConnection(connection);
    this.#connections.clear();
  }

  /** Runs a whole transaction, retried while the database aborts it, and returns its answers. */
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

  /** Returns the answer that a new session gets. */
  async freshAnswer(question: Question): Promise<Answer> {
    const [answer] = await this.commit(await this.connect(), question);
    return answer;
  }
}

/** Error of a database that does not answer. It ends all checks. */
export class Silence extends Error {}

/** Returns one validated answer. */
export const ask = async (connection: Connection, question: Question): Promise<Answer> =>
  answerTo(question, await connection.ask(question));

/** Returns the result of the promise, or null if it takes longer, as when a session waits for a lock. */
export async function soon<T>(promise: Promise<T>): Promise<{ readonly is: T } | null> {
  promise.catch(() => {}); // callers that still wait get the error
  return Promise.race([promise.then((is) => ({ is })), pause(LOCK_MS).then(() => null)]);
}

/** Adds a time limit to the answers of a connection. */
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
