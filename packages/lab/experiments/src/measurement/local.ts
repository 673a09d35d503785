/** Runs cells on this machine, one at a time or a few in parallel. */
import type { Progress } from '@isolab/runner';
import type { ResultRow } from './row-shape.ts';
import type { BenchOptions, BenchOutcome, Runner } from './bench-options.ts';
import { randomUUID } from 'node:crypto';
import type { Cell, Group } from './cells.ts';
import { OutOfTime } from './out-of-time.ts';
import { Judge, type ExperimentProblem, type Prospect, type Session } from './session.ts';
import { taskOf } from './task.ts';

const NONE: ReadonlyMap<Prospect, ResultRow> = new Map();

/** Plan for a point: series that are compared with one another are measured together, or not at all. */
interface Plan {
  readonly together: string;
  readonly prospects: ReadonlyMap<Cell, Prospect>;
  /** Rows of the cells that need not be measured. */
  readonly known: ReadonlyMap<Prospect, ResultRow>;
}

export function runHere(session: Session, options: BenchOptions): Runner {
  return (_, groups) => new LocalRun(session, options, groups).run();
}

class LocalRun {
  readonly #session: Session;
  readonly #options: BenchOptions;
  readonly #cells: readonly { readonly cell: Cell; readonly group: Group }[];
  readonly #plans = new Map<Group, Promise<Plan>>();
  readonly #judge = new Judge();
  readonly #outOfTime = new OutOfTime();
  readonly #rows: ResultRow[] = [];
  #problem: ExperimentProblem | null = null;
  #next = 0;

  constructor(session: Session, options: BenchOptions, groups: readonly Group[]) {
    this.#session = session;
    this.#options = options;
    this.#cells = groups.flatMap((group) => group.map((cell) => ({ cell, group })));
  }

  async run(): Promise<BenchOutcome> {
    await Promise.all(Array.from({ length: this.#options.jobs }, () => this.#work()));
    return { rows: this.#rows, problem: this.#problem };
  }

  async #work(): Promise<void> {
    while (this.#next < this.#cells.length && this.#problem === null && this.#options.signal?.aborted !== true) {
      const done = this.#next++;
      const { cell, group } = this.#cells[done]!;
      await this.#runCell(cell, group, done);
    }
  }

  async #runCell(cell: Cell, group: Group, done: number): Promise<void> {
    const { measurer, results } = this.#session;
    const { signal, onEvent } = this.#options;
    const plan = await this.#planOf(group).catch((error: unknown) => {
      if (signal?.aborted) return null; // while a history was collected
      throw error;
    });
    if (!plan) return;
    const { together, prospects, known } = plan;
    const prospect = prospects.get(cell)!;
    if (prospect.kind === 'settled') {
      this.#outOfTime.note(prospect.row);
      return void this.#rows.push(prospect.row);
    }
    const before = known.get(prospect);
    const easier = this.#outOfTime.before(cell);
    let row: ResultRow | null;
    if (before) row = results.reuse(prospect.task, before);
    else if (easier !== null) row = results.add(measurer.rowOutOfTime(prospect, easier, together));
    else {
      const { limits } = taskOf(cell, this.#options);
      onEvent?.({ kind: 'runs', cell, limits, done, cells: this.#cells.length });
      const onProgress = (progress: Progress): void => onEvent?.({ kind: 'progress', cell, progress });
      row = await measurer.measure(prospect, together, signal, onProgress);
      if (!row) return; // interrupted
      row = results.add(row);
    }
    this.#rows.push(row);
    this.#outOfTime.note(row);
    this.#problem ??= this.#judge.problemOf(row, prospect);
  }

  #planOf(group: Group): Promise<Plan> {
    const plan = this.#plans.get(group) ?? this.#makePlan(group);
    this.#plans.set(group, plan);
    return plan;
  }

  async #makePlan(group: Group): Promise<Plan> {
    const session = this.#session;
    const { host } = session.measurer;
    const prospects = new Map<Cell, Prospect>();
    for (const cell of group) {
      const row = session.resumed(cell);
      if (row === null) this.#tellOfCollection(cell);
      prospects.set(cell, row ? { kind: 'settled', row } : await session.prepare(cell, this.#options.signal));
    }
    const ready = [...prospects.values()].filter((prospect) => prospect.kind === 'ready');
    const known = session.knownTogether(ready, host) ?? NONE;
    this.#noteAnew(ready.filter((cell) => !known.has(cell) && session.known(cell, host)).map(({ cell }) => cell));
    return { together: randomUUID(), prospects, known };
  }

  /** Reports that a collection begins, which may take as long as the measurements. */
  #tellOfCollection({ experiment: { id }, source }: Cell): void {
    if (source.kind !== 'collected') return;
    const { database, workload } = source;
    this.#options.onEvent?.({ kind: 'collects', experiment: id, database, workload });
  }

  #noteAnew(cells: readonly Cell[]): void {
    const [first] = cells;
    if (!first) return;
    const names = cells.map(({ series }) => series.name).join(', ');
    const text = `${first.experiment.id} at ${first.x}: ${names} measured again together with the new series.`;
    this.#options.onEvent?.({ kind: 'note', text });
  }
}
