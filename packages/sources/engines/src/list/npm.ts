import type { DataKind, Engine, Isolation, NpmOrigin } from '../engine/engine.ts';
import { pinsOf } from './pins.ts';

const DATA: readonly DataKind[] = ['registers', 'counters', 'lists', 'rows', 'tables'];

/** Returns a package with its checksums from pins.ts. */
export const pinned = (name: string, version: string, more: Partial<NpmOrigin> = {}): NpmOrigin => ({
  kind: 'npm',
  package: name,
  version,
  pins: pinsOf(`${name}@${version}`),
  ...more,
});

/** Returns a package of an unlisted version, whose checksum only npm's registry has. */
export const unpinned = (name: string, version: string, more: Partial<NpmOrigin> = {}): NpmOrigin => ({
  kind: 'npm',
  package: name,
  version,
  pins: null,
  ...more,
});

/** Common parts of the releases of a database that runs in the driver's process. */
interface InProcess {
  readonly name: string;
  readonly title: string;
  readonly isolations: readonly Isolation[];
  /** Supported kinds of data; all if absent. */
  readonly data?: readonly DataKind[];
  readonly driver: string;
  readonly choices?: Readonly<Record<string, readonly string[]>>;
}

export const inProcess = (
  { driver, choices, ...shared }: InProcess,
  version: string,
  origin: NpmOrigin,
  more: Partial<Engine> = {},
): Engine => ({
  data: DATA,
  ...shared,
  version,
  origin,
  needs: ['npm'],
  runs: { kind: 'module', driver },
  options: { ...(choices && { choices }) },
  ...more,
});
