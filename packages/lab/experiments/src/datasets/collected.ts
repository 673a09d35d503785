/**
 * Collects histories from real databases and keeps each with its checksum, so it can be verified again without the
 * database.
 */
import { CollectorError, type Database, Interrupted, collect, driverFor, isolationNamed } from '@isolab/collector';
import { PUBLIC, writeFileTo } from '@isolab/formats';
import { resolveParameters } from '@isolab/workloads';
import { loadDistributions, workloadNamed } from 'isolab/plugins';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { sha256OfFile, sha256OfText } from '../experiment/checksum.ts';
import type { ResolvedCollection } from '../experiment/collected-source.ts';
import { historyPath } from './generate.ts';
import { textOf } from '../experiment/plug-ins.ts';

/** Record of a collection. Together with the file of that checksum, it is enough to draw the figure. */
export interface Kept {
  readonly recipe: ResolvedCollection;
  /** Name and version that the database reports. */
  readonly database: string;
  readonly sha256: string;
  readonly committed: number;
  readonly aborted: number;
  readonly unknown: number;
  /** Time from the start of the first client to the end of the last. */
  readonly seconds: number;
  readonly at: string;
}

export interface CollectionsOptions {
  readonly cache: string;
  /** Collects every history again instead of using kept histories. */
  readonly fresh: boolean;
}

export class Collections {
  readonly #options: CollectionsOptions;
  readonly #found = new Map<string, Promise<Kept | string>>();
  /** Databases that cannot be opened, with the reasons. */
  readonly #absent = new Map<string, string>();
  /** The running server. It serves the next history too, until another server replaces it. */
  #open: { readonly address: string; readonly database: Database } | null = null;

  constructor(options: CollectionsOptions) {
    this.#options = options;
  }

  /** Returns the kept history, or collects it now; returns the reason if neither is possible. */
  async find(recipe: ResolvedCollection, signal?: AbortSignal): Promise<Kept | string> {
    const name = sha256OfText(await textOf(recipe));
    let found = this.#found.get(name);
    // Each collection has its own signal, so that listeners do not accumulate.
    const own = signal && AbortSignal.any([signal]);
    if (!found) this.#found.set(name, (found = this.#keptOrCollected(recipe, name, own)));
    return found;
  }

  async close(): Promise<void> {
    await this.#open?.database.close();
    this.#open = null;
  }

  async #keptOrCollected(recipe: ResolvedCollection, name: string, signal?: AbortSignal): Promise<Kept | string> {
    const note = join(this.#options.cache, 'collected', `${name}.json`);
    const kept = this.#options.fresh ? null : await this.#kept(note);
    if (kept) return kept;
    try {
      return await this.#collect(recipe, note, signal);
    } catch (error) {
      if (!(error instanceof CollectorError)) throw error;
      await this.close(); // for any failure
      return `not collected: ${error.message}`;
    }
  }

  /** Returns null if there is no record, or if the file is not the collected history. */
  async #kept(note: string): Promise<Kept | null> {
    if (!existsSync(note)) return null;
    const kept = JSON.parse(readFileSync(note, 'utf8')) as Kept;
    const path = historyPath(this.#options.cache, kept.sha256);
    return existsSync(path) && (await sha256OfFile(path)) === kept.sha256 ? kept : null;
  }

  async #collect(recipe: ResolvedCollection, note: string, signal?: AbortSignal): Promise<Kept> {
    const { cache } = this.#options;
    const workload = await workloadNamed(recipe.workload);
    await loadDistributions(workload, recipe.set);
    const driver = await driverFor(recipe.database);
    const isolation = isolationNamed(driver, recipe.isolation);
    const database = await this.#opened(recipe.database, signal);
    mkdirSync(join(cache, 'histories'), { recursive: true });
    const unfinished = join(cache, 'histories', `unfinished-${process.pid}-collected.jsonl`);
    rmSync(unfinished, { force: true });
    const { seconds, transactions, sessions, retry, filled } = recipe;
    const parameters = resolveParameters(workload, recipe.set);
    const counts = await collect({
      database,
      isolation,
      workload,
      parameters,
      ...(filled && { filled: Number(parameters['keys']) }),
      sessions,
      transactions: transactions ?? Infinity,
      ...(seconds !== null && { seconds }),
      seed: String(recipe.seed),
      retry,
      path: unfinished,
      ...(signal && { signal }),
    });
    if (signal?.aborted) {
      rmSync(unfinished);
      throw new Interrupted();
    }
    const sha256 = await sha256OfFile(unfinished);
    renameSync(unfinished, historyPath(cache, sha256));
    const { committed, aborted, unknown } = counts;
    const result = { committed, aborted, unknown, seconds: Math.round(counts.seconds * 1e6) / 1e6 };
    const kept: Kept = { recipe, database: database.description, sha256, ...result, at: new Date().toISOString() };
    mkdirSync(dirname(note), { recursive: true });
    await writeFileTo(note, `${JSON.stringify(kept, null, 2)}\n`, { isDurable: false, mode: PUBLIC });
    return kept;
  }

  async #opened(address: string, signal?: AbortSignal): Promise<Database> {
    if (this.#open?.address === address) return this.#open.database;
    await this.close();
    const absent = this.#absent.get(address);
    if (absent !== undefined) throw new CollectorError(absent);
    try {
      const driver = await driverFor(address);
      const database = await driver.open(address, { connectMs: CONNECT_MS, ...(signal && { signal }) });
      this.#open = { address, database };
      return database;
    } catch (error) {
      if (error instanceof CollectorError) this.#absent.set(address, error.message);
      throw error;
    }
  }
}

const CONNECT_MS = 10_000;
