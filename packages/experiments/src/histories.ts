/** The histories of cells: where they are, what they are called, and those that were read last. */
import { readDocumentAt } from '@isolab/formats';
import { type Prepared, prepare, preparePolygraph } from '@isolab/runner';
import { dirname, sep } from 'node:path';
import type { Datasets } from './datasets.ts';
import type { ResolvedSource } from './experiment.ts';
import { type Generated, generated } from './generate.ts';
import type { Sizes } from './manifest.ts';

/** A history that can be read. */
export interface Available {
  readonly id: string;
  readonly path: string;
  readonly sha256: string;
  readonly format: string | null;
  readonly sizes: Sizes | null;
  /** What is known of how it came about, as counters of the results. */
  readonly counters: Readonly<Record<string, number>>;
}

export interface Absent {
  readonly id: string;
  readonly reason: string;
  readonly sizes: Sizes | null;
}

export class Histories {
  readonly #cache: string;
  readonly #datasets: Datasets;
  readonly #made = new Map<string, Promise<Generated>>();
  readonly #read = new Map<string, Promise<Prepared | string>>();

  constructor(cache: string, datasets: Datasets) {
    this.#cache = cache;
    this.#datasets = datasets;
  }

  /** Finds the history of a source, or makes it. */
  async find(source: ResolvedSource): Promise<Available | Absent> {
    if (source.kind === 'dataset') return this.#findDataset(source.id);
    const recipe = JSON.stringify(source);
    let made = this.#made.get(recipe);
    if (!made) this.#made.set(recipe, (made = generated(source, this.#cache)));
    const { path, sha256, committed, aborted } = await made;
    const name = source.kind === 'lightweight' ? 'lightweight' : source.workload;
    const id = `${name}-${sha256.slice(0, 12)}`;
    return { id, path, sha256, format: 'isolab', sizes: null, counters: outcomes(committed, aborted) };
  }

  async #findDataset(id: string): Promise<Available | Absent> {
    const found = await this.#datasets.locate(id);
    const sizes = found.dataset?.sizes ?? null;
    if (!('path' in found)) return { id, reason: found.reason, sizes };
    return { id, path: found.path, sha256: found.sha256, format: found.dataset.format, sizes, counters: {} };
  }

  /** The history, ready for checkers; or why it cannot be checked. */
  read({ path, format }: Available): Promise<Prepared | string> {
    let known = this.#read.get(path);
    if (!known) {
      // Of what was read before, one stays: series of a point may have histories of their own.
      for (const old of [...this.#read.keys()].slice(0, -1)) this.#read.delete(old);
      this.#read.set(path, (known = readPrepared(path, format)));
    }
    return known;
  }
}

async function readPrepared(path: string, format: string | null): Promise<Prepared | string> {
  let document;
  try {
    document = await readDocumentAt(path, format === null ? {} : { format });
  } catch (error) {
    // Results are kept where the folders of this machine mean nothing.
    return `unreadable: ${(error as Error).message.replaceAll(`${dirname(path)}${sep}`, '')}`;
  }
  if (document.kind === 'polygraph') return preparePolygraph(document.polygraph);
  if ((document.history.source.notes['unmodelledOperations'] ?? 0) > 0)
    return 'unsupported: it holds operations of a kind that is not modelled';
  return prepare(document.history);
}

const outcomes = (committed: number, aborted: number): Record<string, number> => ({
  'history.committed': committed,
  'history.aborted': aborted,
  'history.abortedPercent': Math.round((1e4 * aborted) / Math.max(1, committed + aborted)) / 100,
});
