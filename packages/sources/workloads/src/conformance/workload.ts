import type { LevelName, Demand, Shown, VerdictStatus } from '@isolab/contract';
import { type History, atomOf, buildReadFrom, countKeys, sameHistory } from '@isolab/history';
import { FAULTS, FAULT_NAMES, type FaultName } from '../simulator/faults.ts';
import { SIMULATED_LEVELS, type SimulatedLevel } from '../simulator/levels.ts';
import { type SimulationOptions, simulate } from '../simulator/simulate.ts';
import { ParameterError } from '../workload/parameters.ts';
import type { Program, Settings, Transaction, Workload } from '../workload/workload.ts';

/** A checker and a measure of contention, which are passed in because this package cannot import them. */
export interface Judge {
  check(history: History, level: LevelName): Promise<VerdictStatus>;
  /**
   * Returns the share of committed transactions that overlapped with another writer of one of their keys; null where
   * unknown.
   */
  met(history: History): number | null;
}

/** Returns the requirements on every workload, tested on the simulated database. */
export function workloadDemands(workload: Workload, parameters: Settings, judge: Judge): Demand[] {
  const trial = new Trial(workload, parameters, judge);
  return [
    {
      name: 'its transactions end',
      expected: `at most ${MOST_REQUESTS} requests in a transaction`,
      show: () => trial.ends(),
      isBasic: true,
    },
    {
      name: 'the same seed gives the same requests',
      expected: 'all choices come from the given source of randomness, without state outside prepare',
      show: () => trial.isDeterministic(),
    },
    {
      name: 'another seed gives different requests',
      expected: 'choices come from the given source of randomness',
      show: () => trial.varies(),
    },
    {
      name: 'no value is written to a key twice',
      expected: 'new values, such as those of Versions',
      show: () => trial.isUnique(),
    },
    {
      name: 'its keys lie within its bounds',
      expected: 'whole numbers from 0 to keys() − 1',
      show: () => trial.keepsBounds(),
    },
    {
      name: 'its transactions overlap on keys',
      expected: 'more transactions that overlap with writers of their keys; use fewer keys or more sessions',
      show: () => trial.meets(),
    },
    ...(Object.keys(SIMULATED_LEVELS) as SimulatedLevel[]).map((level) => ({
      name: `a database at ${level} passes`,
      expected: `${level} satisfied`,
      show: () => trial.passes(level),
    })),
    {
      name: 'a database with a fault is detected',
      expected: 'a violation with at least one fault of the simulated database',
      show: () => trial.findsFaults(),
    },
  ];
}

class Trial {
  readonly #workload: Workload;
  readonly #parameters: Settings;
  readonly #judge: Judge;
  #first: History | null = null;

  constructor(workload: Workload, parameters: Settings, judge: Judge) {
    this.#workload = bounded(workload);
    this.#parameters = parameters;
    this.#judge = judge;
  }

  ends(): Shown {
    const { txnStart } = this.#history();
    const longest = txnStart.reduce((most, start, t) => Math.max(most, start - (txnStart[t - 1] ?? 0)), 0);
    return { holds: true, found: `at most ${longest} requests in a transaction` };
  }

  isDeterministic(): Shown {
    if (sameHistory(this.#history(), this.#run({}))) return HOLDS;
    return { holds: false, found: 'two runs with the same seed gave different histories' };
  }

  varies(): Shown {
    if (!sameHistory(this.#history(), this.#run({ seed: 2 }))) return HOLDS;
    return { holds: null, found: 'the seeds 1 and 2 gave the same history' };
  }

  isUnique(): Shown {
    if (this.#workload.data === 'tables') return { holds: null, found: 'rows of tables may be equal' };
    const { repeatedWrites } = buildReadFrom(this.#history());
    if (repeatedWrites === 0) return HOLDS;
    return { holds: false, found: `${repeatedWrites} writes repeat a value of their key` };
  }

  keepsBounds(): Shown {
    const bound = this.#workload.keys?.(this.#parameters, SESSIONS) ?? null;
    if (bound === null) return { holds: null, found: 'it has no keys(parameters, sessions) with its bounds' };
    const { keys } = this.#history();
    const all = Array.from({ length: countKeys(this.#history()) }, (_, id) => atomOf(keys, id));
    const outside = all.find((key) => typeof key !== 'bigint' || key < 0n || key >= BigInt(bound));
    if (outside !== undefined) return { holds: false, found: `the key ${String(outside)}, but keys() is ${bound}` };
    return { holds: true, found: `${all.length} of ${bound} keys were used` };
  }

  meets(): Shown {
    const met = this.#judge.met(this.#history());
    if (met === null) return { holds: null, found: 'the history does not show it' };
    const found = `${(100 * met).toFixed(0)} % of the transactions overlap with writers of their keys`;
    return { holds: met >= FEW ? true : null, found };
  }

  async passes(level: SimulatedLevel): Promise<Shown> {
    const history = this.#try({ level });
    if (typeof history === 'string') return { holds: null, found: history };
    const status = await this.#judge.check(history, level);
    if (status === 'satisfied') return HOLDS;
    return { holds: status === 'unknown' ? null : false, found: `${level} is ${status}` };
  }

  async findsFaults(): Promise<Shown> {
    const found: string[] = [];
    const hidden: string[] = [];
    for (const name of FAULT_NAMES) ((await this.#shows(name)) ? found : hidden).push(name);
    if (found.length === 0) return { holds: false, found: `no violation with any of ${hidden.join(', ')}` };
    return {
      holds: true,
      found: `violations with ${found.join(', ')}${hidden.length > 0 ? `; none with ${hidden.join(', ')}` : ''}`,
    };
  }

  async #shows(name: FaultName): Promise<boolean> {
    const { at, breaks } = FAULTS[name];
    const history = this.#try({ level: at, faults: { [name]: 0.3 }, aborts: 0.1 });
    if (typeof history === 'string') return false;
    for (const level of breaks) if ((await this.#judge.check(history, level)) === 'violated') return true;
    return false;
  }

  #history(): History {
    return (this.#first ??= this.#run({}));
  }

  #run(options: Partial<SimulationOptions>): History {
    const standard = { level: 'serializable', sessions: SESSIONS, transactions: TRANSACTIONS, seed: 1 } as const;
    return simulate(this.#workload, this.#parameters, { ...standard, ...options }).history;
  }

  /** Returns the history, or the reason why the simulated database refuses the workload. */
  #try(options: Partial<SimulationOptions>): History | string {
    try {
      return this.#run(options);
    } catch (error) {
      if (error instanceof ParameterError) return error.message;
      throw error;
    }
  }
}

/** Limits the length of a workload's transactions. */
function bounded(workload: Workload): Workload {
  const boundedTransaction = (transaction: Transaction): Transaction => {
    return function* (): Program {
      const program = transaction();
      let asked = 0;
      for (let step = program.next(); !step.done;) {
        if (++asked > MOST_REQUESTS) throw new Error(`a transaction had not ended after ${MOST_REQUESTS} requests`);
        step = program.next(yield step.value);
      }
    };
  };
  return {
    ...workload,
    prepare(...given) {
      const run = workload.prepare(...given);
      return {
        load: (function* () {
          for (const transaction of run.load) yield boundedTransaction(transaction);
        })(),
        session: (index, random) => {
          const next = run.session(index, random);
          return () => boundedTransaction(next());
        },
      };
    },
  };
}

export const HOLDS: Shown = { holds: true, found: '' };
const SESSIONS = 6;
const TRANSACTIONS = 40;
const MOST_REQUESTS = 10_000;
/** Share of overlapping transactions below which a workload hardly shows anything. */
const FEW = 0.1;
