/** A worker's run of one group. */
import type { Job } from 'bullmq';
import type { ResultRow } from '../measurement/row-shape.ts';
import { RefusalError } from '../experiment/errors.ts';
import type { Measurer, Ready } from '../measurement/measure.ts';
import { hostId } from '../measurement/results.ts';
import { programVersion } from './program-version.ts';
import { type CellJob, type CellReport, type GroupJob, type GroupReport, keptOf } from './job.ts';

export interface GroupRun {
  readonly measurer: Measurer;
  readonly job: Job<GroupJob, GroupReport>;
  readonly token: string;
  readonly lockMs: number;
  /** Fires when the group has gone to another worker. */
  readonly cancelled: AbortSignal;
  readonly onRow: ((row: ResultRow) => void) | undefined;
}

/** Measures the missing cells of a group; reports each row as soon as it is measured, and all of them at the end. */
export async function runGroup({ measurer, job, token, lockMs, cancelled, onRow }: GroupRun): Promise<GroupReport> {
  const { data, attemptsStarted: attempt, progress } = job;
  refuseOtherCode(data, measurer.commit);
  const host = hostId(measurer.host);
  let cells = keptOf(progress, host);
  for (const [index, cell] of data.cells.entries()) {
    if (cells.some((kept) => kept.cell === index)) continue;
    const row = cell.known.includes(host)
      ? null
      : await measurer.measure(await readyOrRefuse(cell, measurer), job.id!, cancelled);
    if (cancelled.aborted) break;
    cells = [...cells, { cell: index, row } satisfies CellReport];
    // A worker that lost the group must not overwrite the reports of its new worker.
    if ((await job.extendLock(token, lockMs)) !== 1) throw new Error('Another worker has taken over this group.');
    await job.updateProgress({ attempt, host, cells });
    if (row) onRow?.(row);
  }
  cancelled.throwIfAborted();
  return { attempt, host, cells };
}

function refuseOtherCode({ program, commit }: GroupJob, ownCommit: string): void {
  if (program === programVersion()) return;
  throw new RefusalError(
    `The code of isolab on this machine (commit ${ownCommit}) differs from that of the producer (commit ${commit}), so results would not compare. Check out and build the same commit.`,
  );
}

/** A worker must have all the programs of the producer. */
async function readyOrRefuse({ task, history, code }: CellJob, measurer: Measurer): Promise<Ready> {
  const engine = await measurer.engineFor(task);
  const { checker } = task.series;
  if (engine.kind === 'absent')
    throw new RefusalError(`The producer has ${checker}, which this machine lacks: ${engine.reason}`);
  if (engine.code !== code)
    throw new RefusalError(
      `The code of ${checker} on this machine (${engine.code}) differs from that of the producer (${code}).`,
    );
  const found = await measurer.historyFor(task);
  if ('reason' in found) throw new RefusalError(`The producer has a history that this machine lacks: ${found.reason}`);
  if (found.sha256 !== history)
    throw new RefusalError(
      `${found.id} is a different history on the producer’s machine (found the checksum ${found.sha256.slice(0, 12)}…, expected ${history.slice(0, 12)}…).`,
    );
  return { task, engine, history: found };
}
