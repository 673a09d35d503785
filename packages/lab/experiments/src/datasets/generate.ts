/** Generates the history of a recipe and keeps it in a file named by its content. */
import { findLevel } from '@isolab/contract';
import { HISTORY_FORMATS, PUBLIC, writeFileTo, writeTo } from '@isolab/formats';
import type { History } from '@isolab/history';
import {
  type LightweightOptions,
  PLANTED,
  type PlantedName,
  SIMULATED_LEVELS,
  type SimulatedLevel,
  lightweightHistory,
  resolveParameters,
  simulate,
} from '@isolab/workloads';
import { faultsNamed, loadDistributions, workloadNamed } from 'isolab/plugins';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { sha256OfFile, sha256OfText } from '../experiment/checksum.ts';
import { codeVersion } from '../experiment/code-version.ts';
import { BenchError } from '../experiment/errors.ts';
import type { ResolvedSource } from '../experiment/experiment.ts';
import { textOf } from '../experiment/plug-ins.ts';

export type Recipe = Exclude<ResolvedSource, { kind: 'dataset' | 'datasets' | 'collected' | 'hunted' }>;

export interface Generated {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly committed: number;
  readonly aborted: number;
}

/**
 * Returns the history of a recipe, from the cache or generated now. A change of the generators' code clears the cache.
 */
export async function generated(recipe: Recipe, cache: string): Promise<Generated> {
  const name = sha256OfText(`[${await textOf(recipe)},${JSON.stringify(generatorsVersion())}]`);
  const note = join(cache, 'recipes', `${name}.json`);
  if (existsSync(note)) {
    const known = JSON.parse(readFileSync(note, 'utf8')) as Omit<Generated, 'path'>;
    const path = historyPath(cache, known.sha256);
    if (existsSync(path)) return { ...known, path };
  }
  const made = await make(recipe, cache);
  mkdirSync(dirname(note), { recursive: true });
  const { path, ...rest } = made;
  await writeFileTo(note, JSON.stringify(rest), { isDurable: false, mode: PUBLIC });
  return { ...rest, path };
}

export const historyPath = (cache: string, sha256: string): string => join(cache, 'histories', `${sha256}.jsonl`);

async function make(recipe: Recipe, cache: string): Promise<Generated> {
  const { history, committed, aborted } = await simulated(recipe);
  mkdirSync(join(cache, 'histories'), { recursive: true });
  const unfinished = join(cache, 'histories', `unfinished-${process.pid}-${++unfinishedFiles}.jsonl`);
  const format = HISTORY_FORMATS.find(({ name }) => name === 'isolab')!;
  const writer = await format.writer!();
  await writeTo(unfinished, (output) => writer.write(history, output), { isDurable: false, mode: PUBLIC });
  const sha256 = await sha256OfFile(unfinished);
  const path = historyPath(cache, sha256);
  renameSync(unfinished, path);
  return { path, sha256, bytes: statSync(path).size, committed, aborted };
}

async function simulated(recipe: Recipe): Promise<{ history: History; committed: number; aborted: number }> {
  if (recipe.kind === 'lightweight') {
    const { sessions, transactions, concurrent, objects, seed, fault } = recipe;
    const options = { sessions, transactions, concurrent, objects, seed, fault } as LightweightOptions;
    return { history: lightweightHistory(options), committed: sessions * transactions, aborted: 0 };
  }
  const workload = await workloadNamed(recipe.workload);
  await loadDistributions(workload, recipe.set);
  if (recipe.planted !== undefined && !Object.hasOwn(PLANTED, recipe.planted))
    throw new BenchError(`There is no anomaly ${recipe.planted} to plant; expected one of ${Object.keys(PLANTED).join(', ')}.`);
  return simulate(workload, resolveParameters(workload, recipe.set), {
    level: simulatedLevel(recipe.level),
    sessions: recipe.sessions,
    transactions: recipe.transactions,
    seed: String(recipe.seed), // like `isolab generate --seed`
    ...(await faultsNamed(recipe.faults)),
    retry: recipe.retry,
    times: recipe.times,
    timestamps: recipe.timestamps === true,
    ...(recipe.aborted === false && { aborted: recipe.aborted }),
    ...(recipe.planted !== undefined && { planted: recipe.planted as PlantedName }),
    ...(recipe.counts !== undefined && { counts: recipe.counts }),
  });
}

export function simulatedLevel(word: string): SimulatedLevel {
  const name = findLevel(word)?.level.name ?? word;
  if (Object.hasOwn(SIMULATED_LEVELS, name)) return name as SimulatedLevel;
  const levels = Object.keys(SIMULATED_LEVELS).join(', ');
  throw new BenchError(`The simulated database does not support ${word}; it supports ${levels}.`);
}

let unfinishedFiles = 0; // several may be generated at the same time

let version: string | null = null;
const generatorsVersion = (): string => (version ??= codeVersion(import.meta.resolve('@isolab/workloads')));
