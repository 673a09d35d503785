/** Measures the time until a hunt finds its first violation. */
import { CollectorError, Interrupted } from '@isolab/collector';
import type { LevelName } from '@isolab/contract';
import { type DrawingName, type TrialRecord, hunt } from '@isolab/hunt';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResolvedHunt } from '../experiment/hunted-source.ts';
import type { Measured } from './run-cell.ts';
import type { Task } from './task.ts';

/** Hunts until the first violation. Without a violation, the row is that of a checker that reached its time limit. */
export async function measureHunt(
  { series, level, limits }: Task,
  { database, isolation, seed }: ResolvedHunt,
  signal?: AbortSignal,
): Promise<Measured | string> {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-measured-hunt-'));
  const records: TrialRecord[] = [];
  // The hunt is aborted after its first violation, without the explanation, which takes longer than the search.
  const enough = new AbortController();
  try {
    await hunt(
      {
        database: [database],
        isolation,
        level: level as LevelName,
        drawing: series.variant as DrawingName,
        workload: null,
        transactions: null,
        seed: String(seed),
        seconds: limits.seconds,
        trials: null,
        counts: false,
        sessionSetup: [],
        layout: null,
        faults: null,
        shard: null,
      },
      {
        folder,
        connectMs: CONNECT_MS,
        stallMs: STALL_MS,
        reproduces: false,
        checkMs: CHECK_MS,
        signal: AbortSignal.any([enough.signal, ...(signal ? [signal] : [])]),
        onEvent(event) {
          if (event.kind !== 'judged') return;
          records.push(event.record);
          if (event.record.verdict === 'violated') enough.abort();
        },
      },
    );
  } catch (error) {
    if (error instanceof CollectorError && records.length === 0) return `absent database: ${error.message}`;
    if (!(error instanceof Interrupted) && !(error instanceof CollectorError)) throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return measured(records);
}

/** Measurements up to the first violation. */
function measured(all: readonly TrialRecord[]): Measured {
  const found = all.findIndex(({ verdict }) => verdict === 'violated');
  const records = found < 0 ? all : all.slice(0, found + 1);
  const sum = (of: (record: TrialRecord) => number): number => records.reduce((total, record) => total + of(record), 0);
  const isFound = found >= 0;
  return {
    verdict: isFound ? 'violated' : 'unknown',
    reason: isFound ? null : 'timeout',
    wallMs: Math.round(1000 * (records.at(-1)?.atSeconds ?? 0)),
    cpuMs: null,
    peakRssBytes: null,
    stages: [],
    counters: {
      'hunt.histories': records.length,
      'hunt.transactions': sum(({ committed, aborted, unknown }) => committed + aborted + unknown),
      'hunt.committed': sum(({ committed }) => committed),
    },
    certificate: 'not asked',
  };
}

const CONNECT_MS = 10_000;
const STALL_MS = 30_000;
const CHECK_MS = 60_000;
