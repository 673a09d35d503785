import { spelled } from '../database/answers.ts';
import type { Kind } from '../database/kinds.ts';
import { Silence, type Shown, type Trial, ask, broken, held, soon } from './trial.ts';

export interface Check {
  readonly name: string;
  readonly expected: string;
  run(trial: Trial, kind: Kind): Promise<Shown>;
}

/** Compares the values found with the values expected. */
export const same = (what: string, found: unknown, expected: unknown): Shown =>
  spelled(found) === spelled(expected) ? held : broken(`${what}: ${spelled(found)} instead of ${spelled(expected)}`);

/** Returns the first failed result, if any. */
export const all = (...shown: readonly Shown[]): Shown => shown.find(({ holds }) => holds !== true) ?? held;

/** Checks that every driver must pass with each kind of data that it supports. */
export const CHECKS: readonly Check[] = [
  {
    name: 'a key is absent before it is written',
    expected: 'null, or an empty list',
    async run(trial, kind) {
      return same('values', kind.values(await trial.freshAnswer(kind.get(trial.newKey()))), []);
    },
  },
  {
    name: 'a transaction sees its own writes',
    expected: 'the value that the transaction has written before',
    async run(trial, kind) {
      const [key, value] = [trial.newKey(), trial.newValue()];
      const [, answer] = await trial.commit(await trial.connect(), kind.put(key, value), kind.get(key));
      return same('values', kind.values(answer), [value]);
    },
  },
  {
    name: 'what is committed is seen by other sessions, and by the same one',
    expected: 'the committed value',
    async run(trial, kind) {
      const [key, value] = [trial.newKey(), trial.newValue()];
      const session = await trial.connect();
      await trial.commit(session, kind.put(key, value));
      const [own] = await trial.commit(session, kind.get(key));
      const other = await trial.freshAnswer(kind.get(key));
      return all(
        same('the other session found', kind.values(other), [value]),
        same('the same session found', kind.values(own), [value]),
      );
    },
  },
  {
    name: 'uncommitted writes are not seen',
    expected: 'no value, or to be kept waiting until the writer has ended',
    async run(trial, kind) {
      const [key, value] = [trial.newKey(), trial.newValue()];
      const [writer, reader] = [await trial.connect(), await trial.connect()];
      await writer.begin();
      await ask(writer, kind.put(key, value));
      const reading = trial.commit(reader, kind.get(key));
      const early = await soon(reading);
      await writer.rollback();
      const [answer] = await reading;
      return same(early ? 'while the writer was not done' : 'once the writer had undone it', kind.values(answer), []);
    },
  },
  {
    name: 'rollback undoes what was written',
    expected: 'no value, in any session',
    async run(trial, kind) {
      const [key, value] = [trial.newKey(), trial.newValue()];
      const session = await trial.connect();
      await session.begin();
      await ask(session, kind.put(key, value));
      await session.rollback();
      const [own] = await trial.commit(session, kind.get(key));
      const other = await trial.freshAnswer(kind.get(key));
      return all(
        same('the other session found', kind.values(other), []),
        same('the same session found', kind.values(own), []),
      );
    },
  },
  {
    name: 'values are exact',
    expected: 'each value as it was written, up to 2^53 − 1',
    async run(trial, kind) {
      const session = await trial.connect();
      const shown: Shown[] = [];
      for (const value of [1, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 1]) {
        const key = trial.newKey();
        await trial.commit(session, kind.put(key, value));
        shown.push(same('values', kind.values(await trial.freshAnswer(kind.get(key))), [value]));
      }
      return all(...shown);
    },
  },
  {
    name: 'keys are distinguished',
    expected: 'each key with its own value, −1 too, and texts where rows are not asked for',
    async run(trial, kind) {
      const keys = kind.hasRows ? [-1, 1e6, 1e6 + 1] : [-1, 1e6, 'user 1', "it's", 'User 1'];
      const values = keys.map(() => trial.newValue());
      const session = await trial.connect();
      for (const [at, key] of keys.entries()) await trial.commit(session, kind.put(key, values[at]!));
      const answers = await trial.commit(session, ...keys.map((key) => kind.get(key)));
      const found = answers.map((answer) => kind.values(answer));
      return same(
        `keys ${spelled(keys)}`,
        found,
        values.map((value) => [value]),
      );
    },
  },
  {
    name: 'prepare empties, or keeps',
    expected: 'the value after prepare(…, true), and none after prepare(…, false)',
    async run(trial, kind) {
      const [key, value] = [trial.newKey(), trial.newValue()];
      await trial.commit(await trial.connect(), kind.put(key, value));
      await trial.clear();
      await trial.database.prepare(kind.data, true, kind.tables);
      const kept = await trial.freshAnswer(kind.get(key));
      await trial.clear();
      await trial.database.prepare(kind.data, false, kind.tables);
      const emptied = await trial.freshAnswer(kind.get(key));
      return all(same('kept', kind.values(kept), [value]), same('emptied', kind.values(emptied), []));
    },
  },
];

/** Last check, because the locks that it leaves would block all others. */
export const CUT_CHECK: Check = {
  name: 'a connection that is cut in a transaction undoes it',
  expected: 'no value, no session kept waiting, and no answer on that connection',
  async run(trial, kind) {
    const [key, value] = [trial.newKey(), trial.newValue()];
    const session = await trial.connect();
    await session.begin();
    await ask(session, kind.put(key, value));
    session.abandon();
    const isAnswered = await ask(session, kind.get(key)).then(
      () => true,
      (error: unknown) => error instanceof Silence,
    );
    if (isAnswered) return broken('the connection goes on after it was cut, or leaves a request open');
    const other = await trial.freshAnswer(kind.get(key));
    await trial.commit(await trial.connect(), kind.put(key, trial.newValue())); // from here on, no lock is left
    return same('another session found', kind.values(other), []);
  },
};
