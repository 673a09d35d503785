/**
 * Repairs of predictions: levels of programs and locking reads with which no prediction is left. Each is searched again
 * as the recording was. One repair raises as few levels as possible, with locks; the other one uses levels alone.
 */
import type { Tried } from './change-sets.ts';
import type { Setting } from './execution.ts';
import type { Lockable } from './lockable.ts';
import type { Offers, Plan } from './plan.ts';
import { placeOf } from './programs.ts';
import { LEVELS, type Template, lowestAllocation } from './robust.ts';
import { type Found, type Gap, type SearchOptions, isStillPredicted, search } from './search.ts';

interface OfProgram {
  readonly program: string;
  /** Place of the program's first transaction in the recorded history. */
  readonly place: string;
}

export interface Repair {
  /** Programs with the names of their raised levels in the database. The other programs keep their levels. */
  readonly raises: readonly (OfProgram & { readonly level: string })[];
  readonly locks: readonly (OfProgram & { readonly read: string })[];
}

export interface Repairs {
  /** Repairs with which the search found no prediction; the first has the fewest raised levels. */
  readonly repairs: readonly Repair[];
  /**
   * Levels above the recorded ones of the lowest robust allocation, for any number of instances and without control flow;
   * null for databases without these levels; `conditions` if a program is no template, because it reads by a condition.
   */
  readonly robust: Repair['raises'] | 'conditions' | null;
  /** Reason why there may be another repair, or why there is none; null for none. */
  readonly why: 'time' | 'undecided' | 'recorded' | 'level' | null;
}

export interface Repairing {
  /** Setting with the recorded levels and locks. */
  readonly setting: Setting & { readonly plan: Plan };
  readonly options: SearchOptions;
  readonly found: readonly Found[];
  readonly gaps: ReadonlySet<Gap>;
  readonly impossible: ReadonlyMap<string, Tried>;
  readonly offers: Offers;
  /** Program of each transaction. */
  readonly programs: readonly string[];
  readonly lockable: readonly Lockable[];
  /** Templates of the programs; null if one of them reads by a condition. */
  readonly templates: readonly Template[] | null;
}

/** Position of the level of each program among the offered levels, and the locks. */
interface Choice {
  readonly levels: ReadonlyMap<string, number>;
  readonly locks: ReadonlySet<Lockable>;
}

export async function repairsOf(repairing: Repairing): Promise<Repairs> {
  const run = new Run(repairing);
  const proved: Choice[] = [];
  let why: Repairs['why'] = null;
  try {
    for (const choose of [() => run.withLocks(), () => run.alone()]) {
      const choice = await run.proved(choose);
      if (choice !== null) proved.push(choice);
    }
    if (proved.length === 0) why = 'level';
  } catch (error) {
    if (!(error instanceof Undecided)) throw error;
    ({ why } = error);
  }
  const repairs = proved.map((choice) => repairOf(choice, repairing));
  const isNew = (each: Repair, i: number): boolean => i === 0 || JSON.stringify(each) !== JSON.stringify(repairs[0]);
  return { repairs: repairs.filter(isNew), robust: robustLevels(repairing), why };
}

function robustLevels(repairing: Repairing): Repairs['robust'] {
  const { templates, offers } = repairing;
  if (!offers.isTracked || offers.levels.length !== LEVELS.length) return null;
  if (templates === null) return 'conditions';
  const levels = Array.from(
    lowestAllocation(templates),
    ([program, level]) => [program, LEVELS.indexOf(level)] as const,
  );
  return repairOf({ levels: new Map(levels), locks: new Set() }, repairing).raises;
}

/** Ends the search for repairs, because a choice stayed undecided. */
class Undecided extends Error {
  readonly why: 'time' | 'undecided';

  constructor(why: 'time' | 'undecided') {
    super(why);
    this.why = why;
  }
}

class Run {
  readonly #repairing: Repairing;
  /** Executions of the recording that are predictions with fewer levels and locks. */
  readonly #known: Found[];
  readonly #programs: readonly string[];

  constructor(repairing: Repairing) {
    this.#repairing = repairing;
    this.#known = [...repairing.found];
    const count = new Map<string, number>();
    for (const program of repairing.programs) count.set(program, (count.get(program) ?? 0) + 1);
    this.#programs = [...count.keys()].toSorted((a, b) => count.get(b)! - count.get(a)!);
  }

  /** Returns a choice with the lowest levels that any locks allow, and then with the fewest locks. */
  async withLocks(): Promise<Choice | null> {
    const all = new Set(this.#repairing.lockable);
    const lowest = await this.#lowestLevels(all);
    if (lowest === null) return null;
    return { levels: lowest, locks: await this.#fewestLocks(lowest) };
  }

  async alone(): Promise<Choice | null> {
    const levels = await this.#lowestLevels(new Set());
    if (levels === null) return null;
    return { levels, locks: new Set<Lockable>() };
  }

  /** Chooses until sets of more changed reads show no prediction either, in the time that the search had for them. */
  async proved(choose: () => Promise<Choice | null>): Promise<Choice | null> {
    for (;;) {
      const choice = await choose();
      if (choice === null || (await this.#isRepair(choice, this.#repairing.options.furtherMs))) return choice;
    }
  }

  /** Lowers the programs from the strongest level, the most frequent ones first; null if that level does not suffice. */
  async #lowestLevels(locks: ReadonlySet<Lockable>): Promise<ReadonlyMap<string, number> | null> {
    const top = this.#repairing.offers.levels.length - 1;
    let levels: ReadonlyMap<string, number> = new Map(this.#programs.map((program) => [program, 0]));
    if (await this.#isRepair({ levels, locks })) return levels;
    levels = new Map(this.#programs.map((program) => [program, top]));
    if (top === 0 || !(await this.#isRepair({ levels, locks }))) return null;
    for (const program of this.#programs)
      for (let level = 0; level < top; level++) {
        const lower = new Map(levels).set(program, level);
        if (!(await this.#isRepair({ levels: lower, locks }))) continue;
        levels = lower;
        break;
      }
    return levels;
  }

  /** Tries the sets of locks by their number; beyond the limit, leaves out one lock of all after the other. */
  async #fewestLocks(levels: ReadonlyMap<string, number>): Promise<ReadonlySet<Lockable>> {
    const { lockable } = this.#repairing;
    let tried = 0;
    for (let size = 0; tried < MOST_SETS;) {
      const relevant = this.#relevantLocks();
      for (const some of subsets(relevant, size)) {
        const locks = new Set(some);
        if (await this.#isRepair({ levels, locks })) return locks;
        if (++tried === MOST_SETS) break;
      }
      // A new counterexample may concern other reads.
      if (this.#relevantLocks().length === relevant.length && ++size > relevant.length) break;
    }
    let locks: ReadonlySet<Lockable> = new Set(lockable);
    for (const each of lockable) {
      const fewer = new Set([...locks].filter((lock) => lock !== each));
      if (await this.#isRepair({ levels, locks: fewer })) locks = fewer;
    }
    return locks;
  }

  /** Returns the reads that take part in a known prediction. */
  #relevantLocks(): Lockable[] {
    const { setting, lockable } = this.#repairing;
    const isIn = (op: number, { execution: { takesPart, end } }: Found): boolean => {
      const t = setting.model.txn[op];
      return takesPart[t] === 1 && op < end[t];
    };
    return lockable.filter(({ operations }) => operations.some((op) => this.#known.some((found) => isIn(op, found))));
  }

  /** Returns whether no prediction is left. Throws Undecided if that is unknown. */
  async #isRepair(choice: Choice, furtherMs = 0): Promise<boolean> {
    const { options, gaps, impossible } = this.#repairing;
    const setting = { ...this.#repairing.setting, plan: this.#planOf(choice) };
    for (const found of this.#known) if (await isStillPredicted(setting, options, found)) return false;
    let isFound = false;
    const onFound = async (found: Found): Promise<boolean> => {
      this.#known.push(found);
      return (isFound = true);
    };
    const once = { furtherMs, impossible, mostKinds: 1, onProgress: undefined, onFound };
    const result = await search(setting, { ...options, ...once });
    if (isFound) return false;
    if (result.gaps.includes('time') || result.gaps.includes('interruption')) throw new Undecided('time');
    if (result.gaps.some((gap) => !gaps.has(gap))) throw new Undecided('undecided');
    return true;
  }

  #planOf({ levels, locks }: Choice): Plan {
    const { setting, offers, programs } = this.#repairing;
    const { plan } = setting;
    const locking = Uint8Array.from(plan.locks);
    for (const { operations } of locks) for (const op of operations) locking[op] = 1;
    const raised = plan.levels.map((level, t) => {
      const lowest = offers.levels.findIndex(({ states }) => states === level);
      return offers.levels[Math.max(lowest, levels.get(programs[t]!)!)]!.states;
    });
    return { ...plan, levels: raised, locks: locking };
  }
}

/** Largest number of sets of locks that are tried. */
const MOST_SETS = 300;

function* subsets<T>(all: readonly T[], size: number, from = 0): Generator<readonly T[]> {
  if (size === 0) yield [];
  else
    for (let i = from; i <= all.length - size; i++)
      for (const rest of subsets(all, size - 1, i + 1)) yield [all[i]!, ...rest];
}

function repairOf({ levels, locks }: Choice, { offers, programs, setting: { model, plan } }: Repairing): Repair {
  const placeIn = (program: string): string => placeOf(model.history, model.txnOf[programs.indexOf(program)]);
  const stays = (program: string, level: number): boolean =>
    programs.every(
      (each, t) => each !== program || offers.levels.findIndex(({ states }) => states === plan.levels[t]) >= level,
    );
  const raises = [...levels].filter(([program, level]) => !stays(program, level));
  return {
    raises: raises.map(([program, level]) => {
      return { program, place: placeIn(program), level: offers.levels[level]!.name };
    }),
    locks: Array.from(locks, ({ program, read }) => ({ program, place: placeIn(program), read })),
  };
}
