import type { Engine } from '../engine/engine.ts';
import type { Folder } from './folder.ts';
import type { ServerProcess } from './server-process.ts';

export interface Starting {
  readonly engine: Engine;
  /** Temporary folder for its data. */
  readonly folder: Folder;
  /** Folder of the downloaded files. */
  readonly installed: string;
  readonly options: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface Started {
  /** Addresses for the collector's drivers, one per node. Tables are created at the first. */
  readonly addresses: readonly string[];
  /** Server processes, one per node; none where the database runs in the driver's process. */
  readonly processes: readonly ServerProcess[];
}
