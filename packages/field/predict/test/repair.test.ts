import type { LevelName } from '@isolab/contract';
import { decide } from '@isolab/oracle';
import { parseHistory, randomNumbers } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { BOUNDARIES, type PredictOptions, type Repair, predict } from '../src/index.ts';
import { type Promised, isAllowed } from './support/allowed.ts';
import { executions } from './support/brute-force.ts';
import { type Transaction, historyOf, namedRun, randomRun } from './support/programs.ts';

const PROGRAMS = Number(process.env['ISOLAB_SOAK'] ?? 24);
const SEED = Number(process.env['ISOLAB_SEED'] ?? 1);
const WEAKER: readonly LevelName[] = ['read-committed', 'read-atomic', 'causal', 'prefix', 'snapshot-isolation'];

const repairs = async (text: string, options: Partial<PredictOptions> = {}, database: string | null = null) => {
  const history = parseHistory(text);
  const asked = { weaker: 'read-committed', stronger: 'serializable', boundary: 'relaxed', ...options } as const;
  const found = await predict({ ...history, source: { ...history.source, database } }, asked);
  return found.repairs();
};

const SKEW = 'r(x,0) r(y,0) w(x,1)\nr(x,1) r(y,0) w(y,2)';

describe('a repair', () => {
  test('locks the read of a lost update, or raises the level', async () => {
    const program = 'r(x) w(x)';
    expect(await repairs('r(x,0) w(x,1)\nr(x,1) w(x,2)')).toMatchObject({
      repairs: [
        { raises: [], locks: [{ program, read: 'r(x)' }] },
        { raises: [{ program, level: 'snapshot-isolation' }], locks: [] },
      ],
      why: null,
    });
  });

  test('locks both reads of a write skew: a lock of one transaction does not make it wait for the other one', async () => {
    const [one, other] = ['r(x) r(y) w(x)', 'r(x) r(y) w(y)'];
    const levels = [one, other].map((program) => ({ program, level: 'SERIALIZABLE' }));
    expect((await repairs(SKEW, {}, 'PostgreSQL 18.4')).repairs).toMatchObject([
      {
        raises: [],
        locks: [
          { program: one, read: 'r(y)' },
          { program: other, read: 'r(x)' },
        ],
      },
      { raises: levels, locks: [] },
    ]);
  });

  test('raises only readers of a long fork', async () => {
    const text = 'w(x,1)\nw(y,1)\nr(x,1) r(y,1)\nr(x,1) r(y,1)';
    const { repairs: found } = await repairs(text, { weaker: 'causal' }, 'PostgreSQL 18.4');
    expect(found.at(-1)).toMatchObject({ raises: [{ program: 'r(x) r(y)', level: 'REPEATABLE READ' }], locks: [] });
  });

  test('the criterion distinguishes the kinds of keys of a history without tables', async () => {
    const text = 'r(x1,0) w(x1,1) w(x2,1)\nr(x1,1) w(x1,2) w(x2,2)\nr(y1,0) r(y2,0)';
    const { robust } = await repairs(text, {}, 'PostgreSQL 18.4');
    expect(robust).toMatchObject([{ program: 'r(x#) w(x#)', level: 'REPEATABLE READ' }]);
  });

  test('no repair is sought where nothing is predicted, or where the recorded history is forbidden already', async () => {
    expect(await repairs('r(x,0)\nr(x,0) r(y,0)')).toMatchObject({ repairs: [], why: null });
    expect(await repairs('r(x,0) w(x,1)\nr(x,0) w(x,2)')).toMatchObject({ repairs: [], why: 'recorded' });
  });

  test('no repair is printed if the search for it ended too early', async () => {
    const ending = new AbortController();
    const asked = { weaker: 'read-committed', stronger: 'serializable', boundary: 'relaxed' } as const;
    const found = await predict(parseHistory(SKEW), { ...asked, signal: ending.signal });
    ending.abort();
    expect(await found.repairs()).toMatchObject({ repairs: [], why: 'time' });
  });
});

test(`the repairs of ${PROGRAMS} small random programs leave no forbidden execution, and lack no part`, async () => {
  const random = randomNumbers(SEED);
  const below = (n: number): number => Math.floor(random() * n);
  const count = { locks: 0, raises: 0 };
  for (let i = 0; i < PROGRAMS; i++) {
    const run = randomRun(random, {
      sessions: 1 + below(3),
      stale: 0,
      transactions: 2 + below(i % 4 === 0 ? 4 : 3),
      operations: 3,
    });
    const asked = {
      weaker: WEAKER[below(WEAKER.length)]!,
      stronger: 'serializable',
      boundary: BOUNDARIES[below(3)]!,
      mostChanges: 1 + below(3),
    } as const;
    const database = below(2) === 0 ? 'PostgreSQL 18.4' : null;
    const recorded = historyOf(namedRun(run));
    const found = await predict({ ...recorded, source: { ...recorded.source, database } }, asked);
    const where = `program ${i} of seed ${SEED}: ${asked.weaker}, ${asked.boundary}, ${asked.mostChanges}, ${database}, ${JSON.stringify(run)}`;
    const { repairs: all, why } = await found.repairs();
    if ((found.predictions.length > 0 && all.length === 0) || why !== null) throw new Error(`${why} ${where}`);
    for (const repair of all) {
      const forbidden = Array.from(executions(run, asked.boundary, asked.mostChanges)).filter(
        ({ predicted }) => !decide(predicted, 'serializable').satisfied,
      );
      const leaves = (some: Repair): boolean => {
        const promised = promisedBy(some, run, database !== null);
        return forbidden.some(({ predicted }) => isAllowed(predicted, asked.weaker, promised));
      };
      if (leaves(repair)) throw new Error(`${JSON.stringify(repair)} ${where}`);
      for (const part of [...repair.raises, ...repair.locks]) {
        const raises = repair.raises.filter((each) => each !== part);
        const locks = repair.locks.filter((each) => each !== part);
        if (!leaves({ raises, locks }))
          throw new Error(`${JSON.stringify(part)} of ${JSON.stringify(repair)} ${where}`);
      }
      count.locks += repair.locks.length;
      count.raises += repair.raises.length;
    }
  }
  expect(count.locks).toBeGreaterThan(PROGRAMS / 60);
  expect(count.raises).toBeGreaterThan(PROGRAMS / 60);
});

const LEVELS: Readonly<Record<string, string>> = {
  'REPEATABLE READ': 'snapshot-isolation',
  SERIALIZABLE: 'serializable',
};

function promisedBy({ raises, locks }: Repair, run: readonly Transaction[], isTracked: boolean): Promised {
  const programs = run.map(({ operations }) => {
    const words = operations.map(({ write }) => `${write ? 'w' : 'r'}(#)`);
    return words.filter((word, i) => word !== words[i - 1]).join(' ');
  });
  const programOf = (name: string): string => programs[Number(name.slice(1))]!;
  return {
    levelOf: (name) => {
      const level = raises.find(({ program }) => program === programOf(name))?.level ?? null;
      return level === null ? null : (LEVELS[level] ?? level);
    },
    locks: (name) => locks.some(({ program }) => program === programOf(name)),
    isTracked,
  };
}
