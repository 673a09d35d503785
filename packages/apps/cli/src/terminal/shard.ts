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

const MOST_SHARDS = 1000;
