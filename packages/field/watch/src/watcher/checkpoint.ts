import type { SavedEngine } from '../engine/engine-options.ts';
import { WatchError } from '../stream/errors.ts';
import type { SavedNumbers } from './numbers.ts';
import type { SavedVerdicts } from './verdicts.ts';

/** The state from which watching continues. */
export interface Checkpoint extends SavedVerdicts {
  readonly isolab: 'watch';
  readonly version: 3;
  readonly since: number;
  readonly line: number;
  readonly isComplete: boolean;
  readonly transactions: number;
  readonly duplicates: number;
  readonly numbers: SavedNumbers;
  readonly engines: readonly SavedEngine[];
}

export const CHECKPOINT_VERSION: Checkpoint['version'] = 3;

export interface ReadCheckpoint {
  readonly checkpoint: Checkpoint | null;
  /** The reason why there is no checkpoint, as the end of a sentence about its file. */
  readonly problem: string | null;
}

/**
 * Reads a checkpoint of this version or the previous one. Throws if a newer isolab wrote it: continuing from the log
 * would overwrite data that only the newer version understands.
 */
export function readCheckpoint(text: string, path: string): ReadCheckpoint {
  let found: Partial<Record<string, unknown>>;
  try {
    found = Object(JSON.parse(text)) as Partial<Record<string, unknown>>;
  } catch {
    return { checkpoint: null, problem: 'is damaged' };
  }
  const { version } = found;
  if (found['isolab'] !== 'watch' || typeof version !== 'number')
    return { checkpoint: null, problem: 'is not a checkpoint of isolab watch' };
  if (version > CHECKPOINT_VERSION)
    throw new WatchError(
      `${path} has version ${version} of a newer isolab, expected ${CHECKPOINT_VERSION}; continue with that isolab, or watch in another folder.`,
    );
  if (version < 2) return { checkpoint: null, problem: `has version ${version}, expected ${CHECKPOINT_VERSION}` };
  const checkpoint = { ...found, version: CHECKPOINT_VERSION } as unknown as Checkpoint;
  const engines = Array.isArray(found['engines']) ? (found['engines'] as SavedEngine[]) : [];
  const whole = { ...checkpoint, engines: engines.map((engine) => ({ ...ADDED_TO_VERSION_2, ...engine })) };
  const lacking = lacks(whole, FIELDS) ?? whole.engines.map((engine) => lacks(engine, ENGINE_FIELDS)).find(Boolean);
  if (lacking !== undefined) return { checkpoint: null, problem: `lacks "${lacking}"` };
  return { checkpoint: whole, problem: null };
}

const lacks = (found: object, fields: readonly string[]): string | undefined => fields.find((name) => !(name in found));

/** Fields that are missing in version 2 checkpoints from before the introduction of scans. */
const ADDED_TO_VERSION_2: Pick<SavedEngine, 'settledScans'> = { settledScans: 0 };

const FIELDS = Object.keys({
  isolab: 0,
  version: 0,
  since: 0,
  line: 0,
  isComplete: 0,
  transactions: 0,
  duplicates: 0,
  numbers: 0,
  standing: 0,
  reasons: 0,
  alarms: 0,
  engines: 0,
} satisfies Record<keyof Checkpoint, 0>);

const ENGINE_FIELDS = Object.keys({
  last: 0,
  levels: 0,
  settled: 0,
  believed: 0,
  late: 0,
  reopened: 0,
  settledScans: 0,
  isWhole: 0,
  repeats: 0,
  lateOutcomes: 0,
  isContradicted: 0,
  realTime: 0,
  unwritten: 0,
  lateWriters: 0,
  recheckFrom: 0,
  isRecheckOwed: 0,
  premises: 0,
  numbers: 0,
  flags: 0,
  state: 0,
} satisfies Record<keyof SavedEngine, 0>);
