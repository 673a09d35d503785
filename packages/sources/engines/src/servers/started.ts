import type { Engine } from '../engine.ts';
import type { Folder } from './folder.ts';
import type { ServerProcess } from './server-process.ts';

export interface Starting {
  readonly engine: Engine;
  /** The temporary folder, for its data. */
  readonly folder: Folder;
  /** Where what was fetched lies. */
  readonly installed: string;
  readonly options: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface Started {
  /** One a node, which the collector has drivers for; the first is where tables are made. */
  readonly addresses: readonly string[];
  /** The servers, one a node; none where the database lives in the process of its driver. */
  readonly processes: readonly ServerProcess[];
}
