/** Runs cells on this machine, one at a time or a few side by side. */
import type { Progress } from '@isolab/runner';
import type { ResultRow } from '@isolab/figures';
import type { BenchOptions, Outcome, Runner } from './bench-options.ts';
import { randomUUID } from 'node:crypto';
import type { Cell, Group } from './cells.ts';
import { Judge, type Problem, type Prospect, type Session } from './session.ts';
import { taskOf } from './task.ts';

const NONE: ReadonlyMap<Prospect, ResultRow> = new Map();

/** What is to be done about a point: series that are compared with one another are measured together, or not at all. */
interface Plan {
  readonly together: string;
  readonly prospects: ReadonlyMap<Cell, Prospect>;
  /** The rows of those that need not be measured. */
  readonly known: ReadonlyMap<Prospect, ResultRow>;
}

export function runHere(session: Session, options: BenchOptions): Runner {
  const { jobs, signal, onEvent } = options;
  const { measurer, results } = session;

  const makePlan = async (group: Group): Promise<Plan> => {
    const prospects = new Map<Cell, Prospect>();
    for (const cell of group) {
      const row = session.resumed(cell);
      prospects.set(cell, row ? { kind: 'settled', row } : await session.prepare(cell));
    }
    const ready = [...prospects.values()].filter((prospect) => prospect.kind === 'ready');
    const known = session.knownTogether(ready, measurer.host) ?? NONE;
    const anew = ready.filter((cell) => !known.has(cell) && session.known(cell, measurer.host));
    tellAnew(anew.map(({ cell }) => cell));
    return { together: randomUUID(), prospects, known };
  };
  const tellAnew = ([first, ...others]: readonly Cell[]): void => {
    if (!first) return;
    const names = [first, ...others].map(({ series }) => series.name).join(', ');
    const text = `${first.experiment.id} at ${first.x}: ${names} measured anew, together with what is new there.`;
    onEvent?.({ kind: 'note', text });
  };

  return async (_, groups): Promise<Outcome> => {
    const cells = groups.flatMap((group) => group.map((cell) => ({ cell, group })));
    const plans = new Map<Group, Promise<Plan>>();
    const judge = new Judge();
    const rows: ResultRow[] = [];
    let problem: Problem | null = null;
    let next = 0;

    const planOf = (group: Group): Promise<Plan> => {
      const plan = plans.get(group) ?? makePlan(group);
      plans.set(group, plan);
      return plan;
    };
    const runCell = async (cell: Cell, group: Group, done: number): Promise<void> => {
      const { together, prospects, known } = await planOf(group);
      const prospect = prospects.get(cell)!;
      if (prospect.kind === 'settled') return void rows.push(prospect.row);
      const before = known.get(prospect);
      let row: ResultRow | null;
      if (before) row = results.reuse(prospect.task, before);
      else {
        onEvent?.({ kind: 'runs', cell, limits: taskOf(cell, options).limits, done, cells: cells.length });
        const onProgress = (progress: Progress): void => onEvent?.({ kind: 'progress', cell, progress });
        row = await measurer.measure(prospect, together, signal, onProgress);
        if (!row) return; // interrupted
        row = results.add(row);
      }
      rows.push(row);
      problem ??= judge.problemOf(row, prospect);
    };
    const isOver = (): boolean => next >= cells.length || problem !== null || signal?.aborted === true;
    const worker = async (): Promise<void> => {
      while (!isOver()) {
        const done = next++;
        const { cell, group } = cells[done]!;
        await runCell(cell, group, done);
      }
    };
    await Promise.all(Array.from({ length: jobs }, worker));
    return { rows, problem };
  };
}
