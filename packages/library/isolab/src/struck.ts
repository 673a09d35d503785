import { type RecordedFault, faultsOf } from '@isolab/formats';
import { type History, NO_TIME } from '@isolab/history';
import type { Story } from '@isolab/story';

/** Adds to a story the faults injected into the database between its first and last transactions. */
export function withFaultsOf(story: Story | null, history: History): Story | null {
  const { txnBegin, txnEnd, source } = history;
  const faults = faultsOf(history);
  if (story === null || faults.length === 0 || txnBegin === null || source.timeUnit !== 'nanoseconds') return story;
  const ms = (time: bigint | undefined): number | null =>
    time === undefined || time === NO_TIME ? null : Number(time) / 1e6;
  const spans = story.transactions.flatMap(({ id }) => {
    const t = Number(/^t(\d+)$/.exec(id)?.[1] ?? NaN);
    const beginMs = ms(txnBegin[t]);
    return beginMs === null ? [] : [{ transaction: id, beginMs, endMs: ms(txnEnd?.[t]) }];
  });
  if (spans.length === 0) return story;
  const first = Math.min(...spans.map(({ beginMs }) => beginMs));
  const last = Math.max(...spans.map(({ beginMs, endMs }) => endMs ?? beginMs));
  const met = faults.flatMap((fault) => {
    const beginMs = Number(fault.begin) / 1e6;
    const endMs = fault.end === null ? null : Number(fault.end) / 1e6;
    if (beginMs > last || (endMs ?? Infinity) < first) return [];
    const during = spans.filter((span) => span.beginMs <= (endMs ?? Infinity) && (span.endMs ?? Infinity) >= beginMs);
    return [{ text: told(fault), beginMs, endMs, during: during.map(({ transaction }) => transaction) }];
  });
  return met.length === 0 ? story : { ...story, clock: { spans, faults: met.slice(0, MOST) } };
}

/** Largest number of faults shown in a long story. */
const MOST = 12;

function told({ kind, node = 0, delayMs = 0 }: RecordedFault): string {
  switch (kind) {
    case 'kill':
      return `node ${node} was ended with kill −9 and started again`;
    case 'pause':
      return `node ${node} was stopped with SIGSTOP`;
    case 'delay':
      return `packets to and from node ${node} were delayed by ${delayMs} ms`;
    case 'cut':
      return `no packets reached node ${node} or left it`;
    case 'reset':
      return `all connections to node ${node} were reset`;
    case 'think':
      return `clients waited up to ${delayMs} ms between their statements`;
    default:
      return `${kind} of node ${node}`;
  }
}
