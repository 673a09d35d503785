import type { Random } from '../workload/random.ts';
import type { Attempt, SimulatedEngine } from './engine.ts';
import type { Fault } from './faults.ts';

/** A custom fault of the simulated database, inserted between clients and the database. */
export interface InjectedFault extends Omit<Fault, 'rules'> {
  /** Returns replacements for methods of the database. Absent methods stay unchanged. */
  inject(given: GivenToFault): Partial<FaultyMethods>;
}

export interface GivenToFault {
  readonly engine: SimulatedEngine;
  /** Returns whether the fault occurs this time; always false at rate 0. */
  readonly strikes: () => boolean;
  /** Random numbers for further choices. */
  readonly random: Random;
}

export type FaultyMethods = Pick<SimulatedEngine, 'begin' | 'read' | 'wrote' | 'commit' | 'abort' | 'tick'>;

export const defineFault = (fault: InjectedFault): InjectedFault => fault;

/** An active fault with its probability. */
export interface Injection {
  readonly fault: InjectedFault;
  readonly rate: number;
}

export function injected(engine: SimulatedEngine, { fault, rate }: Injection, random: Random): SimulatedEngine {
  const chances = random.fork('strikes');
  const faulty = fault.inject({ engine, strikes: () => rate > 0 && chances.chance(rate), random });
  return {
    begin: (session) => (faulty.begin ? faulty.begin(session) : engine.begin(session)),
    read: (attempt, key) => (faulty.read ? faulty.read(attempt, key) : engine.read(attempt, key)),
    ...(engine.newest && { newest: (key: number) => engine.newest!(key) }),
    ...(engine.missed && { missed: (attempt: Attempt) => engine.missed!(attempt) }),
    wrote: (attempt, key) => (faulty.wrote ? faulty.wrote(attempt, key) : engine.wrote(attempt, key)),
    commit: (attempt) => (faulty.commit ? faulty.commit(attempt) : engine.commit(attempt)),
    abort: (attempt) => (faulty.abort ? faulty.abort(attempt) : engine.abort(attempt)),
    ...(engine.stated && { stated: (attempt: Attempt) => engine.stated!(attempt) }),
    tick: () => (faulty.tick ? faulty.tick() : engine.tick()),
  };
}
