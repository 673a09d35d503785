/** Runs cells on this machine, one at a time or a few side by side. */
import type { ResultRow } from '@isolab/visualise';
import type { BenchOptions, Outcome, Runner } from './bench.ts';
import type { Cell } from './cells.ts';
import { Judge, type Problem, type Session } from './session.ts';
import { taskOf } from './task.ts';

export function runHere(session: Session, options: BenchOptions): Runner {
  const { jobs, signal, onEvent } = options;
  const { measurer, results } = session;

  return async (_, groups): Promise<Outcome> => {
    const cells = groups.flat();
    const judge = new Judge();
    const rows: ResultRow[] = [];
    let problem: Problem | null = null;
    let next = 0;

    const runCell = async (cell: Cell, done: number): Promise<void> => {
      const resumed = session.resumed(cell);
      if (resumed) return void rows.push(resumed);
      onEvent?.({ kind: 'runs', cell, limits: taskOf(cell, options).limits, done, cells: cells.length });
      const prospect = await session.prepare(cell);
      if (prospect.kind === 'settled') return void rows.push(prospect.row);
      const known = session.known(prospect, measurer.host);
      const measured = known
        ? null
        : await measurer.measure(prospect, signal, (progress) => onEvent?.({ kind: 'progress', cell, progress }));
      if (!known && !measured) return; // interrupted
      const row = known ? results.reuse(prospect.task, known) : results.add(measured!);
      rows.push(row);
      problem ??= judge.problemOf(row, prospect);
    };
    const isOver = (): boolean => next >= cells.length || problem !== null || signal?.aborted === true;
    const worker = async (): Promise<void> => {
      while (!isOver()) {
        const done = next++;
        await runCell(cells[done]!, done);
      }
    };
    await Promise.all(Array.from({ length: jobs }, worker));
    return { rows, problem };
  };
}
