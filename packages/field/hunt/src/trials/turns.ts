/** Takes turns at the levels of a database: each has its own draws, and the strongest gets every second history. */
import type { DataKind, Isolation } from '@isolab/collector';
import { Random } from '@isolab/workloads';
import { isComparable } from '@isolab/schedules';
import { type HuntSettings, type TrialRecord, levelOf } from './options.ts';
import { type Drawing, drawingNamed } from '../draws/drawing.ts';
import { type Draw, type Region, SQL, dataOf, withLayoutOf } from '../draws/space.ts';

/** Draws that a level never completes, with the reason. */
export interface LeftOut {
  readonly isolation: string;
  /** A kind of data, a layout, or null for the level itself. */
  readonly what: string | null;
  readonly why: string;
}

interface Turn {
  readonly isolation: Isolation;
  readonly drawing: Drawing;
  space: readonly Region[];
  /** Kinds of data and layouts with a collected history. */
  readonly works: Set<string>;
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
      const space = isComparable(level) ? regions : regions.filter(({ workload }) => workload !== SQL);
      if (space.length === 0)
        this.leftOut.push({ isolation: isolation.name, what: null, why: `results at ${level} cannot be compared` });
      return {
        isolation,
        drawing: drawingNamed(drawing, space, new Random(name), worker),
        space,
        works: new Set<string>(),
      };
    });
  }

  next(): { readonly isolation: Isolation; readonly draw: Draw } {
    const open = this.#turns.filter(({ space }) => space.length > 0);
    const count = this.#count++;
    const index = count % 2 === 0 || open.length === 1 ? 0 : 1 + (((count - 1) / 2) % (open.length - 1));
    const { isolation, drawing, space } = open[index]!;
    for (;;) {
      const draw = drawing.next();
      if (space.some(({ workload }) => workload === draw.workload))
        return { isolation, draw: withLayoutOf(space, draw) };
    }
  }

  /** Continues the draws of a resumed hunt after a judged trial. */
  skip(record: TrialRecord): void {
    this.#count++;
    this.#of(record.isolation)?.drawing.next();
    this.learn(record);
  }

  learn({ isolation, draw, near, seconds }: TrialRecord): void {
    this.#of(isolation)?.drawing.learn(draw, near, seconds);
  }

  collected(isolation: string, draw: Draw): void {
    const { works } = this.#of(isolation)!;
    works.add(dataOf(draw)).add(draw.layout ?? '');
  }

  /**
   * Leaves out the layout of a failed draw, or its kind of data, if no history with it was collected before and other
   * draws remain. Returns null if the failure must have another cause.
   */
  leaveOut(isolation: string, draw: Draw, why: string): LeftOut | null {
    const turn = this.#of(isolation)!;
    const data = dataOf(draw);
    const layout = draw.layout;
    const layouts = turn.space.find(({ workload }) => workload === draw.workload)!.dimensions.find(isLayout)?.values;
    if (layout !== null && layouts !== undefined && layouts.length > 1 && !turn.works.has(layout)) {
      turn.space = turn.space.map(({ workload, dimensions }) => ({
        workload,
        dimensions: dimensions.map((one) =>
          isLayout(one) ? { ...one, values: one.values.filter((value) => value !== layout) } : one,
        ),
      }));
      return this.#noted({ isolation, what: `the layout ${layout}`, why });
    }
    if (turn.works.has(data)) return null;
    const rest = turn.space.filter(({ workload }) => dataOfWorkload(workload) !== data);
    if (rest.length === 0 && this.#turns.every((one) => one === turn || one.space.length === 0)) return null;
    turn.space = rest;
    return this.#noted({ isolation, what: rest.length === 0 ? null : data, why });
  }

  #of(isolation: string): Turn | undefined {
    return this.#turns.find((turn) => turn.isolation.name === isolation);
  }

  #noted(left: LeftOut): LeftOut {
    this.leftOut.push(left);
    return left;
  }
}

const isLayout = ({ name }: { readonly name: string }): boolean => name === 'layout';

const dataOfWorkload = (workload: string): DataKind => dataOf({ workload, set: {} });
