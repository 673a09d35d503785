import { type Checker, type IndexedHistory, type LevelName, defaultsOf, requirementsAt } from '@isolab/contract';
import { type Problem, isDynamicTerm, lettersOf } from '@isolab/levels';
import { checkShape } from '@isolab/history';
import type { LevelFacts } from '../facts/facts.ts';
import type { Points } from '../facts/order.ts';
import type { Tick } from '../walks/types.ts';

/** Another checker, whose orders are tried before any search. Its answer is only a hint, and is always verified. */
export type Guide = Checker<Readonly<Record<string, unknown>>>;

interface Places {
  readonly commits: Int32Array;
  readonly place: Int32Array;
}

export interface Hint extends Places {
  /** Whether the order claims to satisfy the level itself, and not a stronger level. */
  readonly isOfLevel: boolean;
}

/** Orders that a guide finds for a history, at the strongest levels first unless the order alone decides the level. */
export class Hints {
  readonly #guide: Guide;
  readonly #input: IndexedHistory;
  readonly #name: string;
  readonly #facts: LevelFacts;
  readonly #points: Points;
  readonly #tick: Tick;
  #levels: readonly LevelName[];

  constructor(
    guide: Guide,
    input: IndexedHistory,
    { name, problem }: { readonly name: string; readonly problem: Problem },
    { facts, points }: { readonly facts: LevelFacts; readonly points: Points },
    tick: Tick,
  ) {
    this.#guide = guide;
    this.#input = input;
    this.#name = name;
    this.#facts = facts;
    this.#points = points;
    this.#tick = tick;
    const isKnown = guide.info.levels.includes(name as LevelName);
    const levels = [
      ...(isKnown && isOfOrder(problem) ? [] : strongest(problem, facts)),
      ...(isKnown ? [name as LevelName] : []),
    ];
    this.#levels = levels.filter((level) => takes(guide, input, level));
  }

  /** Asks at each unanswered level, and gives up if the answer takes more than the given number of steps. */
  *within(steps: number): Generator<Hint> {
    for (const level of this.#levels) {
      const hint = this.#hintAt(level, steps);
      if (hint === 'gave up') continue;
      this.#levels = this.#levels.filter((each) => each !== level);
      if (hint !== null) yield { ...hint, isOfLevel: level === this.#name };
    }
  }

  #hintAt(level: LevelName, steps: number): Places | null | 'gave up' {
    try {
      const events = eventsOf(this.#guide, this.#input, level, within(steps, this.#tick));
      return events && hintOf(events, this.#facts, this.#points);
    } catch (error) {
      if (error instanceof TooLong) return 'gave up';
      throw error;
    }
  }
}

/**
 * Returns whether a level prescribes the order of pairs. If it forbids single walks, most correct orders are not
 * recognised in a linear pass, and a stronger level has a better order.
 */
const isOfOrder = ({ constraints }: Problem): boolean =>
  constraints.some(({ kind, term }) => kind === 'contains' && isDynamicTerm(term));

function strongest({ constraints }: Problem, { called }: LevelFacts): LevelName[] {
  const speaksOfTime = constraints.some(({ term }) => lettersOf(term).some(({ name }) => TIMES.has(name)));
  return speaksOfTime && called.some((time) => time >= 0)
    ? ['strict-serializable', 'strong-snapshot-isolation']
    : ['serializable', 'snapshot-isolation'];
}

const TIMES: ReadonlySet<string> = new Set(['rt', 'time']);

const takes = ({ info }: Guide, { history, index }: IndexedHistory, level: LevelName): boolean =>
  info.levels.includes(level) &&
  requirementsAt(info, level).every((shapes) =>
    [shapes].flat().some((shape) => checkShape(history, index, shape).holds),
  );

/** The events of an order, numbered 2t for the begin and 2t + 1 for the commit of t; null if none was found. */
function eventsOf(
  { info, check }: Guide,
  input: IndexedHistory,
  level: LevelName,
  tick: Tick,
): readonly number[] | null {
  const nothing = (): void => {};
  const context = { certify: true, findAll: false, stage: nothing, count: nothing, progress: nothing, tick };
  const verdict = check({ ...input, kind: 'history' }, level, defaultsOf(info.options), context);
  if (!('status' in verdict) || verdict.status !== 'satisfied') return null;
  const { certificate } = verdict;
  if (certificate?.kind === 'event-order') return certificate.events;
  return certificate?.kind === 'commit-order' ? certificate.order.flatMap((t) => [2 * t, 2 * t + 1]) : null;
}

/** Charges the work of a guide, and stops the guide after too many steps. */
function within(most: number, tick: Tick): Tick {
  let steps = 0;
  return (more) => {
    tick(more);
    steps += more;
    if (steps > most) throw new TooLong();
  };
}

class TooLong extends Error {}

/** Null if the order lacks a transaction that happened. */
function hintOf(
  events: readonly number[],
  { txnOf, initial, writes }: LevelFacts,
  { kind, count }: Points,
): Places | null {
  const numTxns = initial === 0 ? 0 : txnOf[initial - 1] + 1;
  const placeOf = new Int32Array(2 * numTxns).fill(-1);
  for (let i = 0; i < events.length; i++) if (events[i] < placeOf.length) placeOf[events[i]] = i;
  const commits = new Int32Array(initial);
  for (let n = 0; n < initial; n++) {
    commits[n] = placeOf[2 * txnOf[n] + 1];
    if (commits[n] < 0 || placeOf[2 * txnOf[n]] < 0) return null;
  }
  if (kind === 'commits') return { commits, place: commits };
  const place = new Int32Array(count);
  for (let p = 0; p < count; p++)
    place[p] = kind === 'versions' ? commits[writes.node[p]] : placeOf[2 * txnOf[p >> 1] + (p % 2)];
  return { commits, place };
}
