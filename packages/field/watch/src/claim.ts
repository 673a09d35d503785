/**
 * Chooses the folder for a stream. A lock in the folder, which the system releases when the process is killed, excludes
 * other watchers. `source.json` names the source, so that lines of different sources are not mixed.
 */
import { lock } from '@isolab/collector/lock';
import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { WatchError, explained, makeFolder } from './stream/errors.ts';
import { writeJson, readJson } from './watcher/folder.ts';
import { isEnd } from './stream/lines.ts';
import { LINE_FEED } from './stream/whole-lines.ts';

export interface ClaimOptions {
  /** The requested folder; null for the first suitable one of `base`, `base-2` and so on. */
  readonly folder: string | null;
  /** `isolab.watch` by default. */
  readonly base?: string;
  readonly source: string;
  /**
   * How the existing lines of a folder are used: not at all, because the stream is new; the stream resumes after them,
   * as the user requested; or the source sends them again, and they are compared.
   */
  readonly way: 'begin' | 'resume' | 'compare';
}

export interface FolderClaim {
  readonly folder: string;
  /** Whether the folder has lines to continue from. */
  readonly hasLines: boolean;
  /** Whether these lines end with the end mark. */
  readonly hasEnded: boolean;
  clear(): void;
  release(): void;
}

export function claim(options: ClaimOptions): FolderClaim {
  const { folder, base = 'isolab.watch', way, source } = options;
  const numbered = (number: number): string => (number === 1 ? base : `${base}-${number}`);
  if (folder !== null) {
    const named = claimed(folder, options);
    if (way !== 'resume' || !named.hasEnded) return named;
    named.release();
    throw new WatchError(
      `${folder} holds a stream that has ended, so no lines can follow; name another folder for a new stream.`,
    );
  }
  const there: string[] = [];
  for (let number = 1; existsSync(numbered(number)); number++) there.push(numbered(number));
  const known = way === 'begin' ? undefined : there.findLast((each) => hasLinesIn(each) && isOf(each, source));
  const latest = known === undefined ? null : claimed(known, options);
  if (latest !== null && !(way === 'resume' && latest.hasEnded)) return latest;
  latest?.release();
  for (let number = 1; ; number++) {
    const each = numbered(number);
    if (hasLinesIn(each)) continue;
    const own = unlessOccupied(() => claimed(each, { ...options, way: 'begin' }));
    if (own !== null) return own;
  }
}

/** Another watcher uses the folder, or its lines must not be continued. */
class Occupied extends WatchError {}

function claimed(folder: string, { source, way }: ClaimOptions): FolderClaim {
  makeFolder(folder);
  const held = locked(folder);
  const hasLines = hasLinesIn(folder);
  if (hasLines && (way === 'begin' || !isOf(folder, source))) {
    held.release();
    const of = `${folder} holds the lines of ${sourceOf(folder) ?? 'another stream'}`;
    throw new Occupied(
      way === 'begin'
        ? `${of}; --resume continues this stream, another --out begins a new one.`
        : `${of}, found ${source}; watch the earlier source, or use another folder.`,
    );
  }
  const note = (): void => writeJson(join(folder, SOURCE), { isolab: 'watch source', source });
  if (!hasLines) note();
  return {
    folder,
    hasLines,
    hasEnded: hasEndedIn(join(folder, 'log')),
    clear: () => {
      for (const name of readdirSync(folder)) if (name !== LOCK) rmSync(join(folder, name), { recursive: true });
      note();
    },
    release: () => held.release(),
  };
}

function locked(folder: string): { release(): void } {
  try {
    return lock(folder, 'isolab watch', join(folder, LOCK));
  } catch (error) {
    const { name, message } = error as Error;
    throw name === 'CollectorError' ? new Occupied(message) : explained(join(folder, LOCK), error);
  }
}

function unlessOccupied(take: () => FolderClaim): FolderClaim | null {
  try {
    return take();
  } catch (error) {
    if (error instanceof Occupied) return null;
    throw error;
  }
}

function hasLinesIn(folder: string): boolean {
  if (existsSync(join(folder, 'checkpoint.json')) || namesIn(join(folder, 'streams')).length > 0) return true;
  return namesIn(join(folder, 'log')).some((name) => statSync(join(folder, 'log', name)).size > 0);
}

function hasEndedIn(log: string): boolean {
  const last = namesIn(log).findLast((name) => name.endsWith('.jsonl') && statSync(join(log, name)).size > 0);
  if (last === undefined) return false;
  const bytes = readFileSync(join(log, last));
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  return isEnd(bytes.subarray(bytes.subarray(0, Math.max(0, end - 1)).lastIndexOf(LINE_FEED) + 1, end));
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).toSorted() : []);

/** Earlier versions did not record the source. */
const isOf = (folder: string, source: string): boolean => [source, null].includes(sourceOf(folder));

const sourceOf = (folder: string): string | null =>
  readJson<{ readonly source: string }>(join(folder, SOURCE))?.source ?? null;

const LOCK = 'lock';
const SOURCE = 'source.json';
