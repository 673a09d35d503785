import type { AllowedRead } from '@isolab/levels';
import { type SeenVersion, type Transaction, isMatch } from '../facts/facts.ts';
import type { Execution, Read } from './execution.ts';

/** Returns whether a level with allowed kinds of reads accepts this read without a writer. */
export function mayBeUnexplained(execution: Execution, read: Read, allows: readonly AllowedRead[]): boolean {
  if (allows.length === 0) return false;
  if (allows.includes('thin-air-reads')) return true;
  const { transactions, aborted } = execution.world;
  const reader = transactions[read.reader]!;
  const others = transactions.filter((other) => other !== reader);
  const parts = partsOf(read);
  return (
    (allows.includes('aborted-reads') && parts.some((part) => aborted.some((t) => wrote(t, part)))) ||
    (allows.includes('future-reads') && parts.some((part) => wrote(reader, part))) ||
    (allows.includes('intermediate-reads') && others.some((t) => isSeenHalfway(t, read, parts)))
  );
}

/** Splits the value that a read saw into its elements. */
function partsOf({ key, seen }: Read): SeenVersion[] {
  if (isMatch(seen)) return [{ key, accepts: seen.accepts, isElement: false }];
  return (typeof seen === 'number' ? [seen] : seen).map((part) => ({
    key,
    accepts: (value) => value === part,
    isElement: typeof seen !== 'number',
  }));
}

const wrote = ({ everyWrite }: Transaction, { key, accepts }: SeenVersion): boolean =>
  everyWrite.some((write) => write.key === key && accepts(write.value));

/** For a register, any write but the last. For a list, some but not all of the transaction's appends. */
function isSeenHalfway(t: Transaction, { key, seen }: Read, parts: readonly SeenVersion[]): boolean {
  const writes = t.everyWrite.filter((write) => write.key === key);
  const isSeen = writes.map(({ value }) => parts.some(({ accepts }) => accepts(value)));
  return typeof seen === 'number' || isMatch(seen)
    ? isSeen.slice(0, -1).includes(true)
    : isSeen.includes(true) && isSeen.includes(false);
}
