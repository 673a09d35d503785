import type { Engine } from '../engine/engine.ts';
import type { Folder } from './folder.ts';
import type { ServerProcess } from './server-process.ts';

export interface Starting {
  readonly engine: Engine;
  /** The temporary folder, for its data. */
  readonly folder: Folder;
  /** Folder of the fetched files. */
  readonly installed: string;
  readonly options: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface Started {
  /** Addresses for the collector's drivers, one a node. Tables are made at the first. */
  readonly addresses: readonly string[];
  /** The servers, one a node; none where the database lives in the process of its driver. */
  readonly processes: readonly ServerProcess[];
}
