/** Measures kernels with tinybench in CPU time, which other load changes little. */
import process from 'node:process';
import { Bench } from 'tinybench';
import type { Kernel } from './kernel.ts';

/** All times in milliseconds of CPU time. */
export interface Measurement {
  readonly name: string;
  readonly samples: number;
  readonly min: number;
  readonly median: number;
  readonly mean: number;
  readonly max: number;
  readonly deviation: number;
  /** Error of the mean, in percent. */
  readonly marginPercent: number;
}

/** A kernel that this code cannot run, for example because it lacks a function. */
export interface Absent {
  readonly name: string;
  readonly reason: string;
}

export async function measure(kernel: Kernel, quick: boolean): Promise<Measurement | Absent> {
  const { name } = kernel;
  try {
    const { run, tearDown } = await kernel.setUp(quick);
    try {
      return await measureWork(name, run, quick);
    } finally {
      await tearDown?.();
    }
  } catch (error) {
    return { name, reason: (error as Error).message };
  }
}

async function measureWork(name: string, run: () => unknown, quick: boolean): Promise<Measurement> {
  const bench = new Bench({
    now: cpuMs,
    time: quick ? 150 : 1000,
    iterations: 5,
    warmupTime: quick ? 100 : 300,
    warmupIterations: 3,
    throws: true,
  });
  let last: unknown;
  bench.add(name, async () => void (last = await run()));
  await bench.run();
  const result = bench.tasks[0]!.result;
  if (result.state !== 'completed' || last === undefined) throw new Error(`${name} ended as ${result.state}`);
  const { samplesCount, min, p50, mean, max, sd, rme } = result.latency;
  return { name, samples: samplesCount, min, median: p50, mean, max, deviation: sd, marginPercent: rme };
}

/** CPU time of all threads, including the garbage collector and the compiler. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
