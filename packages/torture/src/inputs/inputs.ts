import { Random } from '@isolab/workloads';
import type { Report, Suite } from '../suite.ts';
import { certificates, judgeCertificate } from './certificates.ts';
import { judgeHistory } from './histories.ts';
import { mutate } from './mutate.ts';
import { REPLIES, judgeReply } from './replies.ts';
import { ResultsJudge, resultSamples } from './results.ts';
import { type Sample, formatSamples } from './samples.ts';

/** What is read from outside: files of every format, certificates, results, answers of programs. */
export const inputs: Suite = {
  name: 'inputs',
  title: 'mutated inputs of every kind: no crash, no second, and nothing read that was not understood',
  short: 4_000,
  long: 1_000_000,
  run: async (count, seed, report) => {
    const proofs = await certificates();
    const results = new ResultsJudge();
    const samples = byKind([...(await formatSamples()), ...proofs.samples, ...resultSamples(), ...REPLIES]);
    const judge: Judge = async ({ kind, name }, files, random) => {
      const [bytes] = files.values();
      if (kind === 'certificate') return judgeCertificate(proofs, name, bytes!);
      if (kind === 'results') return results.judge(bytes!);
      if (kind === 'exec-reply') return judgeReply(bytes!, random);
      return judgeHistory(kind, files, random);
    };
    try {
      for (let i = 0; i < count; i++)
        await attempt(samples, judge, new Random(`${seed}/${i}`), `--seed ${seed}, attempt ${i}`, report);
    } finally {
      results.close();
    }
  },
};

type Files = ReadonlyMap<string, Uint8Array>;
type Judge = (sample: Sample, files: Files, random: Random) => Promise<string | null>;

function byKind(samples: readonly Sample[]): Sample[][] {
  const kinds = new Map<string, Sample[]>();
  for (const sample of samples) kinds.set(sample.kind, [...(kinds.get(sample.kind) ?? []), sample]);
  return [...kinds.values()];
}

async function attempt(
  samples: readonly (readonly Sample[])[],
  judge: Judge,
  random: Random,
  which: string,
  report: Report,
): Promise<void> {
  const sample = random.pick(random.pick(samples));
  const damaged = damage(sample, random.pick(random.pick(samples)), random);
  const problem = await timed(() => judge(sample, damaged, random.fork('judge')));
  if (problem === null) report.survived(sample.kind);
  else report.failed(sample.kind, `${problem}\n  (${which}, from ${sample.name})\n${shown(damaged)}`);
}

/** A busy machine may take a second for anything; an input that is slow is slow again. */
async function timed(judge: () => Promise<string | null>): Promise<string | null> {
  let ms = Infinity;
  for (let i = 0; i < 3 && ms > LIMIT_MS; i++) {
    const begin = performance.now();
    try {
      const problem = await judge();
      if (problem !== null) return problem;
    } catch (error) {
      return `it crashed: ${error instanceof Error ? error.stack : String(error)}`;
    }
    ms = performance.now() - begin;
  }
  return ms > LIMIT_MS ? `it took ${ms.toFixed(0)} ms` : null;
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

const shown = (files: Files): string =>
  Array.from(
    files,
    ([name, bytes]) =>
      `  ${name || 'file'} in base64: ${Buffer.from(bytes.subarray(0, MOST_SHOWN)).toString('base64')}`,
  ).join('\n');

const LIMIT_MS = 1000;
const MOST_SHOWN = 4000;
