import { implies } from '@isolab/contract';
import type { Connection, Driver } from '../database/database.ts';
import { spelled } from '../database/answers.ts';
import { Aborted, ConnectionLost } from '../database/errors.ts';
import { pause } from '@isolab/engines';
import { type Check, same, all } from './checks.ts';
import type { Kind } from '../database/kinds.ts';
import { type Shown, type Trial, ask, broken, held, notShown } from './trial.ts';

/** Checks with several concurrent sessions. */
export const CONCURRENT_CHECKS: readonly Check[] = [
  {
    name: 'an aborted transaction has no effects, and its session continues',
    expected:
      'after an abort: rollback is answered, no session sees the transaction’s writes, and the next transaction begins',
    async run(trial, kind) {
      const sessions = [await trial.connect(), await trial.connect()];
      let aborted = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const key = trial.newKey();
        const clash = new Clash(kind, key, true);
        const ends = await Promise.all(sessions.map((session) => clash.transaction(session, trial.newValue())));
        aborted += ends.filter(({ isCommitted }) => !isCommitted).length;
        const shown = judge(trial, kind, ends, kind.values(await trial.freshAnswer(kind.get(key))));
        if (shown.holds !== true) return shown;
      }
      return aborted > 0 ? held : notShown(`none of ${ROUNDS} pairs of conflicting transactions had an abort`);
    },
  },
  {
    name: 'concurrent sessions do not affect each other’s keys',
    expected: 'each session finds in its own keys the values that it committed last',
    async run(trial, kind) {
      const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => trial.connect()));
      const shown = await Promise.all(sessions.map((session, index) => alone(trial, kind, session, index)));
      return all(...shown);
    },
  },
];

/** Checks atomic updates: below snapshot isolation, only the statement itself can detect a concurrent write. */
export const meetingsOf = ({ isolations }: Driver): Check => ({
  name: 'concurrent writes of one key all take effect, also below snapshot isolation',
  expected:
    'both elements after two concurrent appends, one of the two values after two concurrent writes: an append or a write must be one statement that neither reads first nor depends on an earlier read',
  async run(trial, kind) {
    // The weakest such level, because a driver sends the same requests at all levels.
    const isolation = isolations.find(({ claims }) => !implies(claims, 'snapshot-isolation'));
    if (isolation === undefined) return notShown('the driver has no level below snapshot isolation');
    let met = 0;
    for (let round = 0; round < MEETINGS; round++) {
      const sessions = [await trial.connect(isolation), await trial.connect(isolation)];
      const key = trial.newKey();
      const first = round === 0 ? [] : [trial.newValue()]; // first a key without a value, then a key with a value
      for (const value of first) await trial.commit(sessions[0]!, kind.put(key, value));
      const clash = new Clash(kind, key, false);
      const ends = await Promise.all(sessions.map((session) => clash.transaction(session, trial.newValue())));
      const committed = ends.flatMap(({ value, isCommitted }) => (isCommitted ? [value] : []));
      if (committed.length === 2) met++;
      const found = kind.values(await trial.freshAnswer(kind.get(key)));
      const wrong = kind.data === 'lists' ? lostOf([...first, ...committed], found) : otherThan(committed, found);
      if (wrong !== null) return broken(`at ${isolation.name}, ${wrong}`);
      await trial.clear();
    }
    return met > 0 ? held : notShown('in each pair of concurrent writes of one key, one transaction aborted');
  },
});

function lostOf(appended: readonly number[], found: readonly number[]): string | null {
  const isWhole = found.length === appended.length && appended.every((value) => found.includes(value));
  return isWhole ? null : `${spelled(appended)} were appended and committed, but the list is ${spelled(found)}`;
}

function otherThan(committed: readonly number[], found: readonly number[]): string | null {
  if (committed.length === 0 || (found.length === 1 && committed.includes(found[0]!))) return null;
  return `${spelled(committed)} were written and committed, but the value is ${spelled(found)}`;
}

interface End {
  readonly value: number;
  readonly isCommitted: boolean;
  /** Whether the read found no value under the key. */
  readonly foundNothing: boolean;
}

/**
 * Two transactions that both read a key before either writes it, or both write it before either commits, unless the
 * database makes one of them wait.
 */
class Clash {
  readonly #kind: Kind;
  readonly #key: number;
  readonly #readsFirst: boolean;
  #arrived = 0;
  #open = (): void => {};
  readonly #bothAreThere = new Promise<void>((resolve) => (this.#open = resolve));

  constructor(kind: Kind, key: number, readsFirst: boolean) {
    this.#kind = kind;
    this.#key = key;
    this.#readsFirst = readsFirst;
  }

  async transaction(session: Connection, value: number): Promise<End> {
    let foundNothing = false;
    try {
      await session.begin();
      if (this.#readsFirst) {
        foundNothing = this.#kind.values(await ask(session, this.#kind.get(this.#key))).length === 0;
        await this.#meet();
      }
      await ask(session, this.#kind.put(this.#key, value));
      if (!this.#readsFirst) await this.#meet();
      await session.commit();
      return { value, isCommitted: true, foundNothing };
    } catch (error) {
      if (!(error instanceof Aborted)) throw error;
      await session.rollback();
      return { value, isCommitted: false, foundNothing };
    }
  }

  async #meet(): Promise<void> {
    if (++this.#arrived === 2) this.#open();
    await Promise.race([this.#bothAreThere, pause(WAIT_MS)]);
  }
}

function judge({ isolation }: Trial, { hasRows }: Kind, ends: readonly End[], found: readonly number[]): Shown {
  const ghost = ends.find(({ value, isCommitted }) => !isCommitted && found.includes(value));
  if (ghost)
    return broken(`the value ${ghost.value} is visible, although its transaction aborted: ${found.join(', ')}`);
  const committed = ends.filter(({ isCommitted }) => isCommitted);
  if (committed.length > 0 && found.length === 0) return broken('committed writes are not visible');
  const isLost = committed.length === 2 && ends.every(({ foundNothing }) => foundNothing) && !hasRows;
  const forbidden = (['snapshot-isolation', 'serializable'] as const).find((level) => implies(isolation.claims, level));
  if (isLost && forbidden !== undefined)
    return broken(
      `both transactions found the key empty and committed a value: a lost update, which ${isolation.name} forbids`,
    );
  return held;
}

/** Runs a session on keys that no other session uses. */
async function alone(trial: Trial, kind: Kind, session: Connection, index: number): Promise<Shown> {
  let key = trial.newKey();
  let last: readonly number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const value = trial.newValue();
    const next = kind.data === 'lists' ? [...last, value] : [value];
    try {
      await session.begin();
      const before = kind.values(await ask(session, kind.get(key)));
      await ask(session, kind.put(key, value));
      const after = kind.values(await ask(session, kind.get(key)));
      await session.commit();
      const shown = [same(`session ${index} found`, before, last), same(`session ${index} found`, after, next)];
      const wrong = all(...shown);
      if (wrong.holds !== true) return wrong;
      last = next;
    } catch (error) {
      if (error instanceof ConnectionLost) return broken(`session ${index} lost its connection: ${error.message}`);
      if (!(error instanceof Aborted)) throw error;
      await session.rollback();
    }
    if (kind.hasRows) [key, last] = [trial.newKey(), []];
  }
  return held;
}

const ROUNDS = 12;
const MEETINGS = 3;
const SESSIONS = 4;
const WAIT_MS = 200;
