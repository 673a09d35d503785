import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Shard } from 'isolab/skin';
import { UsageError } from './exit.ts';

/** Reads `--queue 3/16`. Returns null if the words have another form. */
export function shardIn(words: string): Shard | null {
  const [, index, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(words)?.map(Number) ?? [];
  if (index === undefined || of === undefined) return null;
  if (index >= 1 && index <= of && of <= MOST_SHARDS) return { index, of };
  throw new UsageError(
    `--queue ${words} is no shard; expected one of 1/${of} to ${of}/${of}, at most ${MOST_SHARDS} shards.`,
  );
}

/** Adds the checksum of the file, so that `isolab merge` does not mix files with the same name. */
export async function shardOfFile(path: string, shard: Shard): Promise<Shard> {
  const info = path === '-' ? undefined : statSync(path, { bigint: true, throwIfNoEntry: false });
  if (path === '-' || info?.isFIFO())
    throw new UsageError(`--queue ${shard.index}/${shard.of} needs a file instead of a pipe.`);
  if (!info?.isFile()) return shard; // opening it states the problem
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { ...shard, sha256: hash.digest('hex') };
}

const MOST_SHARDS = 1000;
