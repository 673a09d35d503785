import { Random } from '@isolab/workloads';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchError, diffResults, latestRows, readRows } from '@isolab/experiments';
import { LEVELS, type VerdictStatus, certificateFile } from '@isolab/contract';
import { verifyCertificateFile } from '@isolab/verifier';
import type { History } from '@isolab/history';
import { loadChecker, prepare, run } from '@isolab/runner';
import { NAMED_HISTORIES } from '@isolab/testkit';
import type { Report, Suite } from '../suite/suite.ts';
import { judgeHistory } from './histories.ts';
import { mutate } from './mutate.ts';
import { REPLIES, judgeReply } from './replies.ts';
import { type Sample, formatSamples, textSample } from './samples.ts';

/** Damages inputs from outside: files of every format, certificates, results, answers of programs. */
export const inputs: Suite = {
  name: 'inputs',
  title: 'mutated inputs of every kind: no crash, no run of a second, and no input accepted that was not understood',
  short: 1_000,
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

/** Repeats a slow run: on a busy machine any input may take a second, but a slow input is slow again. */
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

/** Ten rows of the results of this repository. */
function resultSamples(): Sample[] {
  const path = fileURLToPath(new URL('../../../../../reports/results/ci.jsonl', import.meta.url));
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, 40);
  return Array.from({ length: 10 }, (_, i) =>
    textSample('results', `lines from ${4 * i + 1}`, `${lines.slice(4 * i, 4 * i + 4).join('\n')}\n`),
  );
}

/** Reads damaged results from a file, as commands do. */
class ResultsJudge {
  readonly #folder = mkdtempSync(join(tmpdir(), 'isolab-results-'));
  readonly #path = join(this.#folder, 'results.jsonl');

  /** Returns a problem in how a results file was read; null if the file was refused or read completely. */
  judge(bytes: Uint8Array): string | null {
    writeFileSync(this.#path, bytes);
    try {
      const rows = readRows(this.#path);
      diffResults(rows, rows, 0.25);
      const lines = Buffer.from(bytes).toString().split('\n');
      // The last line may be incomplete.
      const whole = lines.filter((line, i) => line.trim() !== '' && (i < lines.length - 1 || isJson(line)));
      if (rows.length !== whole.length) return `only ${rows.length} of ${whole.length} rows were read`;
      return latestRows(rows).length <= rows.length ? null : 'there are more rows than were read';
    } catch (error) {
      if (error instanceof BenchError) return null;
      throw error;
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** Certificates of small histories at all levels, and the true verdicts on these histories. */
interface Certificates {
  readonly samples: readonly Sample[];
  /** Histories and verdicts by the name of the sample. */
  readonly about: ReadonlyMap<
    string,
    { readonly history: History; readonly truth: ReadonlyMap<string, VerdictStatus> }
  >;
}

async function certificates(): Promise<Certificates> {
  const checker = await loadChecker('@isolab/weave', new URL(import.meta.url));
  const samples: Sample[] = [];
  const about = new Map<string, { history: History; truth: Map<string, VerdictStatus> }>();
  for (const { name, history } of NAMED_HISTORIES) {
    const prepared = prepare(history);
    const truth = new Map<string, VerdictStatus>();
    for (const { name: level } of LEVELS) {
      const { verdict } = await run({ checker, prepared, level });
      truth.set(level, verdict.status);
      const certificate =
        verdict.status === 'satisfied'
          ? verdict.certificate
          : verdict.status === 'violated'
            ? verdict.anomalies.find((anomaly) => anomaly.certificate)?.certificate
            : undefined;
      if (certificate === undefined || verdict.status === 'unknown') continue;
      const file = certificateFile(history, { level, checker: 'weave', verdict: verdict.status, certificate });
      const sample = textSample('certificate', `${name} at ${level}`, JSON.stringify(file));
      samples.push(sample);
      about.set(sample.name, { history, truth });
    }
  }
  return { samples, about };
}

/** Finds a problem with the verification of a certificate; null if it is refused, or proves a true verdict. */
function judgeCertificate({ about }: Certificates, name: string, bytes: Uint8Array): string | null {
  const { history, truth } = about.get(name)!;
  let file: unknown;
  try {
    file = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null; // true of every file that is not JSON
  }
  if (!verifyCertificateFile(history, file).ok) return null;
  const { level, verdict } = file as { readonly level: string; readonly verdict: string };
  return truth.get(level) === verdict
    ? null
    : `it is accepted for ${verdict} at ${level}, which is ${truth.get(level)}`;
}
