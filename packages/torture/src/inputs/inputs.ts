import { Random } from '@isolab/workloads';
import type { Report, Suite } from '../suite.ts';
import { judge } from './judge.ts';
import { mutate } from './mutate.ts';
import { type Sample, exampleSamples } from './samples.ts';

/** Mutated files of every format. */
export const inputs: Suite = {
  name: 'inputs',
  title: 'mutated inputs of every format: no crash, no second, nothing read that was not understood',
  short: 5_000,
  long: 1_000_000,
  run: async (count, seed, report) => {
    const samples = exampleSamples();
    for (let i = 0; i < count; i++)
      await attempt(samples, new Random(`${seed}/${i}`), `--seed ${seed}, attempt ${i}`, report);
  },
};

async function attempt(samples: readonly Sample[], random: Random, which: string, report: Report): Promise<void> {
  const sample = random.pick(samples);
  const damaged = damage(sample, random.pick(samples), random);
  const problem = await judge(sample.format, damaged);
  if (problem === null) report.survived(sample.format);
  else report.failed(sample.format, `${problem}\n  (${which}, from ${sample.name})\n${shown(damaged)}`);
}

/** Damages one file of a sample, seldom more. */
function damage(sample: Sample, other: Sample, random: Random): Map<string, Uint8Array> {
  const files = new Map(sample.files);
  const names = [...files.keys()];
  const foreign = random.pick([...other.files.values()]);
  do {
    const name = random.pick(names);
    files.set(name, mutate(files.get(name)!, foreign, random));
  } while (random.chance(0.2));
  return files;
}

const shown = (files: ReadonlyMap<string, Uint8Array>): string =>
  Array.from(
    files,
    ([name, bytes]) =>
      `  ${name || 'file'} in base64: ${Buffer.from(bytes.subarray(0, MOST_SHOWN)).toString('base64')}`,
  ).join('\n');

const MOST_SHOWN = 4000;
