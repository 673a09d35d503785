/** Takes turns at the levels of a database: each has its own draws, and the strongest gets every second history. */
import type { DataKind, Isolation } from '@isolab/collector';
import { Random } from '@isolab/workloads';
import { type LevelName, STATED } from '@isolab/contract';
import { isComparable } from '@isolab/schedules';
import { type HuntSettings, type TrialRecord, levelOf } from './options.ts';
import { type Drawing, drawingNamed } from '../draws/drawing.ts';
import { OPENINGS } from '../draws/openings.ts';
import { type Draw, KILLS, LISTS, type Region, SQL, chosen, dataOf, extrasOf, fittedTo } from '../draws/space.ts';

/** Draws that a level never completes, with the reason. */
export interface LeftOut {
  readonly isolation: string;
  /** A kind of data, a kind of statement, a layout, or null for the level itself. */
  readonly what: string | null;
  readonly why: string;
}

export const leftOutText = ({ isolation, what, why }: LeftOut): string =>
  `${isolation}${what === null ? ' is' : what.startsWith('the ') ? `: ${what} is` : `: workloads of ${what} are`} left out: ${why}`;

interface Turn {
  readonly isolation: Isolation;
  readonly drawing: Drawing;
  space: readonly Region[];
  /** Kinds of data, kinds of statements and layouts with a collected history. */
  readonly works: Set<string>;
  /** Number of its draws. */
  drawn: number;
}

export class Turns {
  readonly leftOut: LeftOut[] = [];
  readonly #turns: readonly Turn[];
  #count = 0;

  constructor(
    isolations: readonly Isolation[],
    regions: readonly Region[],
    settings: Pick<HuntSettings, 'seed' | 'drawing' | 'level'>,
    worker: number,
  ) {
    const { seed, drawing } = settings;
    this.#turns = isolations.map((isolation, index) => {
      const name = `${seed}/draws${worker === 1 ? '' : `/${worker}`}${index === 0 ? '' : `/${isolation.name}`}`;
      const level = levelOf(settings, isolation);
      const space = regions.filter((region) => isDecided(region, level));
      if (space.length === 0)
        this.leftOut.push({ isolation: isolation.name, what: null, why: `results at ${level} cannot be compared` });
      return {
        isolation,
        drawing: drawingNamed(drawing, space, new Random(name), worker),
        space,
        works: new Set<string>(),
        drawn: 0,
      };
    });
  }

  /** Returns the next draw with its time limit: the first draws at a level are short, because they differ most. */
  next(): { readonly isolation: Isolation; readonly draw: Draw; readonly seconds: number } {
    const open = this.#turns.filter(({ space }) => space.length > 0);
    const count = this.#count++;
    const index = count % 2 === 0 || open.length === 1 ? 0 : 1 + (((count - 1) / 2) % (open.length - 1));
    const turn = open[index]!;
    const { isolation, drawing, space } = turn;
    const isFirst = turn.drawn++ < OPENINGS.length;
    for (;;) {
      const draw = drawing.next();
      if (space.some(({ workload }) => workload === draw.workload))
        return { isolation, draw: fittedTo(space, draw), seconds: secondsOf(draw, isFirst) };
    }
  }

  /** Continues the draws of a resumed hunt after a judged trial. */
  skip(record: TrialRecord): void {
    this.#count++;
    const turn = this.#of(record.isolation);
    turn?.drawing.next();
    if (turn) turn.drawn++;
    this.learn(record);
  }

  learn({ isolation, draw, near, seconds }: TrialRecord): void {
    this.#of(isolation)?.drawing.learn(draw, near, seconds);
  }

  collected(isolation: string, draw: Draw): void {
    const { works } = this.#of(isolation)!;
    for (const what of [dataOf(draw), draw.layout ?? '', ...extrasOf(draw)]) works.add(what);
  }

  /**
   * Leaves out a kind of statement of a failed draw, its layout, or its kind of data, if no history with it was
   * collected before and other draws remain. Returns null if the failure must have another cause.
   */
  leaveOut(isolation: string, draw: Draw, why: string): LeftOut | null {
    const turn = this.#of(isolation)!;
    const data = dataOf(draw);
    const layout = draw.layout;
    for (const name of ['layout', ...extrasOf(draw)].toReversed()) {
      if (name === KILLS) continue; // leaveOutKills
      const value = chosen(draw, name);
      const isKnown = value === '' || turn.works.has(name === 'layout' ? value : name);
      if (isKnown || !restrict(turn, draw.workload, name, value)) continue;
      const what = name === 'layout' ? `the layout ${layout}` : `the statement ${name.slice('set:'.length)}`;
      return this.#noted({ isolation, what, why });
    }
    if (turn.works.has(data)) return null;
    const rest = turn.space.filter(({ workload }) => dataOfWorkload(workload) !== data);
    if (rest.length === 0 && this.#turns.every((one) => one === turn || one.space.length === 0)) return null;
    turn.space = rest;
    if (data === 'lists') restrict(turn, null, LISTS, 'true');
    return this.#noted({ isolation, what: rest.length === 0 ? null : data, why });
  }

  /** Leaves out kills, also where some of them did no harm. */
  leaveOutKills(isolation: string, why: string): LeftOut {
    const turn = this.#of(isolation)!;
    restrict(turn, null, KILLS, 'true');
    return this.#noted({ isolation, what: 'the fault kill', why });
  }

  #of(isolation: string): Turn | undefined {
    return this.#turns.find((turn) => turn.isolation.name === isolation);
  }

  #noted(left: LeftOut): LeftOut {
    this.leftOut.push(left);
    return left;
  }
}

/** Removes a value of a dimension from all regions. Returns false if the region of the workload has no other value. */
function restrict(turn: Turn, workload: string | null, dimension: string, value: string): boolean {
  const region = turn.space.find((one) => one.workload === workload);
  if (region?.dimensions.some(({ name, values }) => name === dimension && values.length > 1) === false) return false;
  turn.space = turn.space.map((each) => ({
    ...each,
    dimensions: each.dimensions.map((one) =>
      one.name === dimension ? { ...one, values: one.values.filter((other) => other !== value) } : one,
    ),
  }));
  return true;
}

/** Returns the time limit for one history, even on a slow database. */
function secondsOf({ workload }: Draw, isFirst: boolean): number {
  if (!isFirst) return LATER_SECONDS;
  return workload === SQL ? FIRST_OF_SQL : FIRST_SECONDS;
}

const FIRST_SECONDS = 2;
const LATER_SECONDS = 6;
/** Time in which most databases play all templates. */
const FIRST_OF_SQL = 10;

/** Returns whether histories can be judged: at mixed levels, tables take too long, and counters are not supported. */
function isDecided({ workload }: Region, level: LevelName): boolean {
  if (workload === SQL) return isComparable(level);
  return level !== STATED || !['tables', 'counters'].includes(dataOfWorkload(workload));
}

const dataOfWorkload = (workload: string): DataKind => dataOf({ workload, set: {} });
