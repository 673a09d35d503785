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
    name: 'what is aborted leaves nothing, and its session goes on',
    expected: 'after an abort: rollback is answered, nothing is seen of the transaction, the next one begins',
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
      return aborted > 0 ? held : notShown(`nothing was aborted in ${ROUNDS} clashes of two transactions`);
    },
  },
  {
    name: 'sessions at once keep to themselves',
    expected: 'each session finds in its own keys what it has committed there last',
    async run(trial, kind) {
      const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => trial.connect()));
      const shown = await Promise.all(sessions.map((session, index) => alone(trial, kind, session, index)));
      return all(...shown);
    },
  },
];

/** Checks atomic updates: below snapshot isolation, only the statement itself can detect a concurrent write. */
export const meetingsOf = ({ isolations }: Driver): Check => ({
  name: 'writes of one key at once are all done, below snapshot isolation too',
  expected:
    'of two transactions that append both elements, of two that write the value of one of them: an append, or a write, is one statement of the database that neither reads first nor depends on what was read',
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
    return met > 0 ? held : notShown('of two writes of one key at once, one was aborted each time');
  },
});

function lostOf(appended: readonly number[], found: readonly number[]): string | null {
  const isWhole = found.length === appended.length && appended.every((value) => found.includes(value));
  return isWhole ? null : `${spelled(appended)} were appended and committed, and the list is ${spelled(found)}`;
}

function otherThan(committed: readonly number[], found: readonly number[]): string | null {
  if (committed.length === 0 || (found.length === 1 && committed.includes(found[0]!))) return null;
  return `${spelled(committed)} were written and committed, and the value is ${spelled(found)}`;
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
  if (ghost) return broken(`the value ${ghost.value}, whose transaction was aborted, is seen: ${found.join(', ')}`);
  const committed = ends.filter(({ isCommitted }) => isCommitted);
  if (committed.length > 0 && found.length === 0) return broken('nothing is seen of what was committed');
  const isLost = committed.length === 2 && ends.every(({ foundNothing }) => foundNothing) && !hasRows;
  const forbidden = (['snapshot-isolation', 'serializable'] as const).find((level) => implies(isolation.claims, level));
  if (isLost && forbidden !== undefined)
    return broken(
      `both transactions found nothing under the key and committed a value: an update is lost, which ${isolation.name} claims not to happen`,
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
