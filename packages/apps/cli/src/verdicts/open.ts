import { open, type Opened, type OpenOptions } from 'isolab/check';
import type { FlagsIn, READING } from '../terminal/options.ts';
import { UsageError } from '../terminal/exit.ts';
import { type LimitFlags, limitsOf } from '../terminal/limits.ts';
import type { Shard } from 'isolab/skin';
import { progressLine } from '../terminal/progress.ts';

export type InputFlags = FlagsIn<typeof READING>;

/**
 * Opens a path according to the flags, with progress on standard error if that is a terminal and the opening takes
 * long.
 */
export async function openPath(
  path: string,
  flags: InputFlags & LimitFlags,
  shard: Shard | null = null,
): Promise<Opened> {
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  const progress = progressLine(
    (done, total) => `reading ${path}: ${megabytes(done)}${total > 0 ? ` of ${megabytes(total)}` : ''}`,
  );
  try {
    const { timeMs } = limitsOf(flags);
    return await open(path, {
      ...readOptions(flags),
      ...(shard && { shard }),
      ...(timeMs !== undefined && { timeMs }),
      onProgress: progress.show,
    });
  } finally {
    progress.clear();
  }
}

/** Converts flags to command-line words, without defaults. */
export function readingWords({ format, failedStatements, initialTransaction }: InputFlags): string[] {
  return [
    ...(format === 'auto' ? [] : ['--format', format]),
    ...(failedStatements === 'published' ? [] : ['--failed-statements', failedStatements]),
    ...(initialTransaction === 'stated' ? [] : ['--initial-transaction', initialTransaction]),
  ];
}

const readOptions = ({ format, threads, failedStatements, initialTransaction }: InputFlags): OpenOptions => ({
  failedStatements,
  initialTransaction,
  ...(format !== 'auto' && { format }),
  ...(threads !== undefined && { threads: threadsIn(threads) }),
});

function threadsIn(word: string): number {
  const count = Number(word);
  if (Number.isInteger(count) && count >= 1 && count <= MOST_THREADS) return count;
  throw new UsageError(`--threads is ${word}; expected a number from 1 to ${MOST_THREADS}.`);
}

const MOST_THREADS = 64;
