import { LEVELS, type LevelName, type Demand, type Shown, implies } from '@isolab/contract';
import { type History, sameHistory } from '@isolab/history';
import { contention } from '../mini-transactions.ts';
import { resolveParameters } from '../workload/parameters.ts';
import type { InjectedFault } from '../simulator/injected.ts';
import { simulate } from '../simulator/simulate.ts';
import type { Workload } from '../workload/workload.ts';
import { HOLDS, type Judge } from './workload.ts';

/** Returns the requirements on every fault of the simulated database. */
export function faultDemands(fault: InjectedFault, judge: Pick<Judge, 'check'>): Demand[] {
  const { at, breaks } = fault;
  return [
    {
      name: 'at rate 0 it changes nothing',
      expected: 'the history of the database without the fault',
      show: () => {
        const isSame = SEEDS.every((seed) =>
          sameHistory(historyOf(fault, 0, seed), historyOf({ ...fault, inject: () => ({}) }, 0, seed)),
        );
        return isSame ? HOLDS : { holds: false, found: 'another history' };
      },
    },
    {
      name: 'the same seed gives the same history',
      expected: 'all choices come from strikes() and random, without state outside inject',
      show: () => {
        const isSame = SEEDS.every((seed) => sameHistory(historyOf(fault, 0.5, seed), historyOf(fault, 0.5, seed)));
        return isSame ? HOLDS : { holds: false, found: 'two runs with the same seed gave different histories' };
      },
    },
    ...breaks.map((level) => ({
      name: `at rate 1 it violates ${level}`,
      expected: `a violation of ${level}, with the database at ${at}`,
      show: () => violates(fault, level, judge),
    })),
    {
      name: 'it violates no level weaker than those in breaks',
      expected: `breaks lists the weakest levels that it violates at ${at}`,
      show: () => keepsOthers(fault, judge),
    },
  ];
}

async function violates(fault: InjectedFault, level: LevelName, judge: Pick<Judge, 'check'>): Promise<Shown> {
  const found = new Set<string>();
  for (const seed of SEEDS) {
    const status = await judge.check(historyOf(fault, 1, seed), level);
    if (status === 'violated') return HOLDS;
    found.add(status);
  }
  return { holds: false, found: `${level} is ${[...found].join(' or ')} in ${SEEDS.length} histories` };
}

/** Checks that the fault violates only levels that it claims to break. */
async function keepsOthers(fault: InjectedFault, judge: Pick<Judge, 'check'>): Promise<Shown> {
  const kept = LEVELS.map(({ name }) => name).filter(
    (level) => implies(fault.at, level) && !fault.breaks.some((broken) => implies(level, broken)),
  );
  for (const rate of [0.2, 1]) {
    for (const seed of SEEDS) {
      const history = historyOf(fault, rate, seed);
      for (const level of kept)
        if ((await judge.check(history, level)) === 'violated')
          return { holds: false, found: `${level} is violated at rate ${rate}` };
    }
  }
  return {
    holds: true,
    found: kept.length === 0 ? 'there is no weaker level' : `levels that still hold: ${kept.length}`,
  };
}

function historyOf(fault: InjectedFault, rate: number, seed: number): History {
  const workload = contention as unknown as Workload;
  return simulate(workload, resolveParameters(workload, { keys: '4' }), {
    level: fault.at,
    sessions: 4,
    transactions: 25,
    counts: 'all', // ends even if the database aborts all transactions
    seed,
    aborts: 0.1,
    injections: [{ fault, rate }],
  }).history;
}

const SEEDS = [1, 2, 3, 4, 5];
