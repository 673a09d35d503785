/** Histories of cells: their paths and names, and a cache of the latest ones. */
import { readDocumentAt } from '@isolab/formats';
import { type Prepared, StageClock, prepare, preparePolygraph } from '@isolab/runner';
import { basename, dirname, sep } from 'node:path';
import { sha256OfText } from '../experiment/checksum.ts';
import type { Collections } from './collected.ts';
import { evenly } from '../experiment/dataset-source.ts';
import type { Datasets } from './datasets.ts';
import type { ResolvedSource } from '../experiment/experiment.ts';
import { type Generated, generated, historyPath } from './generate.ts';
import type { Sizes } from './manifest.ts';

export interface Available {
  readonly id: string;
  readonly path: string;
  readonly sha256: string;
  readonly format: string | null;
  readonly sizes: Sizes | null;
  readonly failedStatements?: 'rollback';
  /** For a set: its histories. The other fields describe the set. */
  readonly parts?: readonly Available[];
  /** For a set: whether its histories are checked in the measuring process. */
  readonly inOneProcess?: boolean;
  /** Known facts about the history's origin, as counters of the results. */
  readonly counters: Readonly<Record<string, number>>;
  /** Time that clients took to make the history, if it was collected from a database. */
  readonly generationMs?: number;
}

export interface Absent {
  readonly id: string;
  readonly reason: string;
  readonly sizes: Sizes | null;
}

type Of<Kind extends ResolvedSource['kind']> = ResolvedSource & { readonly kind: Kind };

/** A hunt generates its histories itself: its request is used in their place. */
function huntedIn(source: Of<'hunted'>): Available {
  const sha256 = sha256OfText(JSON.stringify(source));
  return { id: `hunt-${source.database}-${source.seed}`, path: '', sha256, format: null, sizes: null, counters: {} };
}

/**
 * Prepares the history for one cell. All cells have the time of the only reading, and each cell has the times of its own
 * index and evidence.
 */
type ReadHistory = () => Prepared;

export class Histories {
  readonly #cache: string;
  readonly #datasets: Datasets;
  readonly #collections: Collections | null;
  readonly #made = new Map<string, Promise<Generated>>();
  readonly #read = new Map<string, Promise<ReadHistory | string>>();

  /** Without collections, histories of databases are absent. */
  constructor(cache: string, datasets: Datasets, collections: Collections | null) {
    this.#cache = cache;
    this.#datasets = datasets;
    this.#collections = collections;
  }

  /** Finds or makes the history of a source. */
  async find(source: ResolvedSource, signal?: AbortSignal): Promise<Available | Absent> {
    if (source.kind === 'dataset') return this.#findDataset(source);
    if (source.kind === 'datasets') return this.#findSet(source);
    if (source.kind === 'collected') return this.#findCollected(source, signal);
    if (source.kind === 'hunted') return huntedIn(source);
    const recipe = JSON.stringify(source);
    let made = this.#made.get(recipe);
    if (!made) this.#made.set(recipe, (made = generated(source, this.#cache)));
    const { path, sha256, committed, aborted } = await made;
    const name = source.kind === 'lightweight' ? 'lightweight' : basename(source.workload);
    const id = `${name}-${sha256.slice(0, 12)}`;
    return { id, path, sha256, format: 'isolab', sizes: null, counters: outcomes(committed, aborted) };
  }

  async #findCollected(source: Of<'collected'>, signal?: AbortSignal): Promise<Available | Absent> {
    const name = `${source.database}-${basename(source.workload)}`;
    const kept = (await this.#collections?.find(source, signal)) ?? NOT_SHARED;
    if (typeof kept === 'string') return { id: name, reason: kept, sizes: null };
    const { sha256, committed, aborted, unknown, seconds } = kept;
    const counters = {
      ...outcomes(committed, aborted),
      ...(unknown > 0 && { 'history.unknown': unknown }),
      'history.generationSeconds': seconds,
      'history.throughput': Math.round(committed / Math.max(1e-3, seconds)),
    };
    const id = `${name}-${sha256.slice(0, 12)}`;
    const path = historyPath(this.#cache, sha256);
    return { id, path, sha256, format: 'isolab', sizes: null, counters, generationMs: 1000 * seconds };
  }

  async #findDataset({ id, failedStatements }: Of<'dataset'>): Promise<Available | Absent> {
    const found = await this.#datasets.locate(id);
    const sizes = found.dataset?.sizes ?? null;
    if (!('path' in found)) return { id, reason: found.reason, sizes };
    const { path, sha256, dataset } = found;
    const known = { path, format: dataset.format, sizes, counters: {} };
    if (failedStatements === undefined) return { id, sha256, ...known };
    // With rollback reading it is another history.
    return { id: `${id} (rollback)`, sha256: sha256OfText(`${sha256} rollback`), failedStatements, ...known };
  }

  async #findSet({ prefixes, atMost, inOneProcess, failedStatements }: Of<'datasets'>): Promise<Available | Absent> {
    const ids = this.#datasets.distinctBelow(prefixes);
    const chosen = evenly(ids, atMost);
    const more = prefixes.length === 1 ? '' : ` and ${prefixes.length - 1} more`;
    const name = `${prefixes[0]}${more} (${chosen.length} of ${ids.length}${failedStatements === undefined ? '' : ', rollback'})`;
    const reading = failedStatements === undefined ? {} : { failedStatements };
    const found: (Available | Absent)[] = [];
    for (const id of chosen) found.push(await this.#findDataset({ kind: 'dataset', id, ...reading }));
    const parts = found.filter((one) => 'path' in one);
    const [absent] = found.filter((one) => 'reason' in one);
    const reason = ids.length === 0 ? `no dataset begins with ${prefixes.join(' or ')}` : absent?.reason;
    if (reason !== undefined) {
      const missing = `${found.length - parts.length} of ${found.length} histories are not available; isolab bench datasets get`;
      return {
        id: name,
        sizes: null,
        reason: absent ? `${missing} ${prefixes.map((prefix) => prefix.replace(/[^/]*\*.*/, '')).join(' ')}` : reason,
      };
    }
    const place = inOneProcess ? 'in one process' : 'a process each';
    const sha256 = sha256OfText([place, ...parts.map((part) => part.sha256)].join('\n'));
    return { id: name, path: parts[0]!.path, sha256, format: null, sizes: null, counters: {}, parts, inOneProcess };
  }

  /** Reads the history for the checkers; returns the reason if it cannot be checked. */
  read({ path, format, failedStatements }: Available): Promise<ReadHistory | string> {
    const name = `${path} ${failedStatements ?? ''}`;
    let known = this.#read.get(name);
    if (!known) {
      // Only the latest history stays: series of a point may have histories of their own.
      for (const old of [...this.#read.keys()].slice(0, -1)) this.#read.delete(old);
      this.#read.set(name, (known = readForCells(path, format, failedStatements)));
    }
    return known;
  }
}

async function readForCells(
  path: string,
  format: string | null,
  failedStatements: 'published' | 'rollback' = 'published',
): Promise<ReadHistory | string> {
  const begun = performance.now();
  let document;
  try {
    document = await readDocumentAt(path, { failedStatements, ...(format !== null && { format }) });
  } catch (error) {
    // Results are also read on other machines, where these folders do not exist.
    return `unreadable: ${(error as Error).message.replaceAll(`${dirname(path)}${sep}`, '')}`;
  }
  const ms = performance.now() - begun;
  const clock = (): StageClock => {
    const own = new StageClock();
    own.enter('read', 0);
    own.enter(null, ms);
    return own;
  };
  if (document.kind === 'polygraph') {
    const { polygraph } = document;
    return () => preparePolygraph(polygraph, clock());
  }
  if ((document.history.source.notes['unmodelledOperations'] ?? 0) > 0)
    return 'unsupported: it has operations of a kind that has no model';
  const { history } = document;
  return () => prepare(history, clock());
}

export const NOT_SHARED =
  'histories of databases are collected on the measuring machine; run this experiment without --queue';

const outcomes = (committed: number, aborted: number): Record<string, number> => ({
  'history.committed': committed,
  'history.aborted': aborted,
  'history.abortedPercent': Math.round((1e4 * aborted) / Math.max(1, committed + aborted)) / 100,
});
