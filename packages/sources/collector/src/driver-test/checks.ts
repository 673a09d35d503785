import { spelled } from '../database/answers.ts';
import type { Kind } from '../database/kinds.ts';
import { Silence, type Shown, type Trial, ask, broken, held, notShown, soon } from './trial.ts';

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
    name: 'a key has no value before its first write',
    expected: 'null, or an empty list',
    async run(trial, kind) {
      return same('values', kind.values(await trial.freshAnswer(kind.get(trial.newKey()))), []);
    },
  },
  {
    name: 'a transaction sees its own writes',
    expected: 'the value that the transaction wrote before',
    async run(trial, kind) {
      const [key, value] = [trial.newKey(), trial.newValue()];
      const [, answer] = await trial.commit(await trial.connect(), kind.put(key, value), kind.get(key));
      return same('values', kind.values(answer), [value]);
    },
  },
  {
    name: 'other sessions and the same session see committed writes',
    expected: 'the committed value',
    async run(trial, kind) {
      const [key, value] = [trial.newKey(), trial.newValue()];
      const session = await trial.connect();
      await trial.commit(session, kind.put(key, value));
      const [own] = await trial.commit(session, kind.get(key));
      const other = await trial.freshAnswer(kind.get(key));
      return all(
        same('values in the other session', kind.values(other), [value]),
        same('values in the same session', kind.values(own), [value]),
      );
    },
  },
  {
    name: 'no session sees uncommitted writes',
    expected: 'no value, or a wait until the writer ends',
    async run(trial, kind) {
      const [key, value] = [trial.newKey(), trial.newValue()];
      const [writer, reader] = [await trial.connect(), await trial.connect()];
      await writer.begin();
      await ask(writer, kind.put(key, value));
      const reading = trial.commit(reader, kind.get(key));
      const early = await soon(reading);
      await writer.rollback();
      const [answer] = await reading;
      return same(
        early ? 'values while the writer was active' : 'values after the rollback of the writer',
        kind.values(answer),
        [],
      );
    },
  },
  {
    name: 'rollback undoes writes',
    expected: 'no value in any session',
    async run(trial, kind) {
      const [key, value] = [trial.newKey(), trial.newValue()];
      const session = await trial.connect();
      await session.begin();
      await ask(session, kind.put(key, value));
      await session.rollback();
      const [own] = await trial.commit(session, kind.get(key));
      const other = await trial.freshAnswer(kind.get(key));
      return all(
        same('values in the other session', kind.values(other), []),
        same('values in the same session', kind.values(own), []),
      );
    },
  },
  {
    name: 'values are exact',
    expected: 'each written value, up to 2^53 − 1',
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
    name: 'different keys have different values',
    expected: 'the value of each key, including the key −1',
    run: (trial, kind) => apart(trial, kind, [-1, 1e6, 1e6 + 1]),
  },
  {
    name: 'prepare empties or keeps the data, as requested',
    expected: 'the value after prepare(…, true), no value after prepare(…, false)',
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

/** Only some workloads have texts as keys, and no workload of a hunt does. */
export const TEXT_KEYS: Check = {
  name: 'keys can be texts',
  expected: 'the value of each key',
  run: (trial, kind) =>
    apart(trial, kind, ['user 1', "it's", 'User 1']).catch((error: unknown) =>
      notShown(`the database refused them: ${(error as Error).message}`),
    ),
};

/** Checks that keys have values of their own. */
async function apart(trial: Trial, kind: Kind, keys: readonly (number | string)[]): Promise<Shown> {
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
}

/** Last check, because the locks that it leaves would block all others. */
export const CUT_CHECK: Check = {
  name: 'cutting the connection during a transaction undoes the transaction',
  expected: 'no value, no waiting session, and no answer on that connection',
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
    if (isAnswered) return broken('the connection still works after the cut, or leaves a request unanswered');
    const other = await trial.freshAnswer(kind.get(key));
    await trial.commit(await trial.connect(), kind.put(key, trial.newValue())); // from here on, no lock is left
    return same('values in another session', kind.values(other), []);
  },
};
