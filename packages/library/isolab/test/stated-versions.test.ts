import {
  type PlainHistory,
  type PlainOperation,
  type PlainTransaction,
  fromPlain,
  withStatedVersions,
} from '@isolab/history';
import { draws, randomNumbers } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { check } from '../src/index.ts';

type Level = 'serializable' | 'snapshot-isolation';
interface Use {
  readonly isWrite: boolean;
  readonly key: string;
  readonly value: bigint;
  readonly version: bigint | null;
}

const INITIAL = 0n;

/** Few transactions, each in a session of its own; most read and number versions as in the order of their numbers. */
function drawn(random: () => number): PlainHistory {
  const int = (below: number): number => Math.floor(random() * below);
  const state = new Map<string, { value: bigint; version: bigint }[]>();
  const [keys, gap, noise] = [1 + int(2), 1 + int(2), random() < 0.5 ? 0 : 0.3];
  let next = 0n;
  const transactions = Array.from({ length: 2 + int(3) }, (): PlainTransaction => {
    const own = new Map<string, { value: bigint; version: bigint }>();
    const lag = random() < 0.3 ? 1 : 0;
    const operations = Array.from({ length: 1 + int(3) }, (): PlainOperation => {
      const key = `k${int(keys)}`;
      const versions = state.get(key) ?? [{ value: INITIAL, version: 0n }];
      state.set(key, versions);
      const last = versions.at(-1)!;
      if (random() < 0.5) {
        const { value, version } = own.get(key) ?? versions.at(-1 - lag) ?? last;
        const isStated = random() < 0.3;
        return { kind: 'read', key, value, ...(isStated && { version: random() < noise ? version + 1n : version }) };
      }
      const before = own.get(key)?.version ?? last.version;
      const version = random() < noise ? before + 1n - BigInt(int(3)) : before + BigInt(1 + int(gap));
      own.set(key, { value: ++next, version });
      return { kind: 'write', key, value: next, ...(random() < 0.85 && version > 0n && { version }) };
    });
    const status = random() < 0.8 ? 'committed' : random() < 0.5 ? 'unknown' : 'aborted';
    if (status === 'committed' || (status === 'unknown' && random() < 0.5))
      for (const [key, version] of own) state.get(key)!.push(version);
    return { status, operations };
  });
  const sessions = transactions.map((transaction, i) => ({ name: BigInt(i), transactions: [transaction] }));
  return { sessions: sessions.toSorted(() => random() - 0.5), initial: INITIAL };
}

const usesOf = ({ operations }: PlainTransaction): readonly Use[] =>
  operations.map((each) => {
    if (each.kind !== 'read' && each.kind !== 'write') throw new Error(each.kind);
    const { kind, key, value, version = null } = each;
    return { isWrite: kind === 'write', key: String(key), value: value as bigint, version };
  });

/** Decides by all orders of begins and commits, with the order of versions as a further condition of each order. */
function isPossible({ sessions }: PlainHistory, level: Level): boolean {
  const all = sessions.flatMap(({ transactions }) => transactions).filter(({ status }) => status !== 'aborted');
  if (!readsWhatIsStated(sessions.flatMap(({ transactions }) => transactions))) return false;
  const unknown = all.filter(({ status }) => status === 'unknown');
  for (let chosen = 0; chosen < 1 << unknown.length; chosen++) {
    const world = all.filter((each) => each.status === 'committed' || (chosen & (1 << unknown.indexOf(each))) !== 0);
    if (hasOrder(world, level)) return true;
  }
  return false;
}

/** Returns whether each read states the version of its value; the initial value is older than all versions of its key. */
function readsWhatIsStated(all: readonly PlainTransaction[]): boolean {
  const committed = all.filter(({ status }) => status === 'committed').flatMap(usesOf);
  const written = all.flatMap(usesOf).filter(({ isWrite }) => isWrite);
  return committed.every(({ isWrite, key, value, version }) => {
    if (isWrite || version === null) return true;
    if (value === INITIAL)
      return committed.every(
        (each) => !each.isWrite || each.key !== key || each.version === null || each.version > version,
      );
    const writer = written.find((each) => each.key === key && each.value === value);
    return writer === undefined || writer.version === null || writer.version === version;
  });
}

function hasOrder(world: readonly PlainTransaction[], level: Level): boolean {
  const uses = world.map(usesOf);
  const search = (left: readonly number[], open: ReadonlyMap<number, number>, done: readonly number[]): boolean => {
    if (left.length === 0 && open.size === 0) return isAscending(world, done);
    for (const [i, since] of open) {
      const others = done.slice(since).flatMap((j) => uses[j]!.filter(({ isWrite }) => isWrite));
      const conflicts = uses[i]!.some(({ isWrite, key }) => isWrite && others.some((each) => each.key === key));
      if (
        conflicts ||
        !reads(
          uses[i]!,
          done.slice(0, since).flatMap((j) => uses[j]!),
        )
      )
        continue;
      const rest = new Map([...open].filter(([j]) => j !== i));
      if (search(left, rest, [...done, i])) return true;
    }
    // A serial order begins the next transaction only after the last one has ended.
    if (level === 'serializable' && open.size > 0) return false;
    return left.some((i) =>
      search(
        left.filter((j) => j !== i),
        new Map([...open, [i, done.length]]),
        done,
      ),
    );
  };
  return search(
    world.map((_, i) => i),
    new Map(),
    [],
  );
}

function reads(uses: readonly Use[], before: readonly Use[]): boolean {
  const state = new Map<string, bigint>();
  for (const { isWrite, key, value } of before) if (isWrite) state.set(key, value);
  for (const { isWrite, key, value } of uses) {
    if (!isWrite && (state.get(key) ?? INITIAL) !== value) return false;
    if (isWrite) state.set(key, value);
  }
  return true;
}

/**
 * Returns whether the versions that committed transactions state ascend in an order. No write of another transaction
 * lies between two numbers that follow each other.
 */
function isAscending(world: readonly PlainTransaction[], order: readonly number[]): boolean {
  const last = new Map<string, { version: bigint; by: number; unstatedBy: number | null }>();
  for (const i of order)
    for (const { isWrite, key, version } of usesOf(world[i]!)) {
      if (!isWrite) continue;
      const before = last.get(key);
      if (version === null || world[i]!.status !== 'committed') {
        if (before) before.unstatedBy = i;
        continue;
      }
      // A database may state the number of the commit for all writes of a transaction.
      if (before && (before.by === i ? version < before.version : version <= before.version)) return false;
      if (before && before.unstatedBy !== null && before.unstatedBy !== i && version === before.version + 1n)
        return false;
      last.set(key, { version, by: i, unstatedBy: null });
    }
  return true;
}

describe('stated versions as facts', () => {
  test.each<Level>(['serializable', 'snapshot-isolation'])(
    '%s with stated versions is decided as by all orders',
    async (level) => {
      let [possible, impossible, wrong] = [0, 0, 0];
      for (let i = 0; i < draws(600); i++) {
        const plain = drawn(randomNumbers(i));
        const found = withStatedVersions(fromPlain(plain));
        if ('text' in found) {
          expect(`${i}: ${isPossible(plain, level)}, ${found.text}`).toBe(`${i}: false, ${found.text}`);
          wrong++;
          continue;
        }
        const { verdict } = await check(found.history, { level, allowVacuous: true });
        const expected = isPossible(plain, level) ? 'satisfied' : 'violated';
        // A version that is left out, and reported, may be the only one that contradicts the reads.
        if (found.left > 0 && verdict === 'satisfied') continue;
        expect(`${i}: ${verdict}`).toBe(`${i}: ${expected}`);
        if (verdict === 'satisfied') possible++;
        else impossible++;
      }
      for (const count of [possible, impossible, wrong]) expect(count).toBeGreaterThan(5);
    },
  );

  test('a transaction whose versions fall is named alone', () => {
    const write = (value: bigint, version: bigint): PlainOperation => ({ kind: 'write', key: 'x', value, version });
    const transactions: PlainTransaction[] = [{ status: 'committed', operations: [write(1n, 5n), write(2n, 3n)] }];
    const history = fromPlain({ initial: INITIAL, sessions: [{ name: 0n, transactions }] });
    expect(withStatedVersions(history)).toEqual({
      transactions: [0],
      text: 'transaction 1 of session 0 states falling versions of x',
    });
  });
});
