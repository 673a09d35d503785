import { type RecordedFault, faultsOf } from '@isolab/formats';
import { type History, NO_TIME } from '@isolab/history';
import type { Story, StoryFault, StorySpan } from '@isolab/story';
import { courseOf } from './story-course.ts';

/**
 * Adds to a story the times of its transactions, where the history has them, and the faults injected into the database
 * between the first and the last of them.
 */
export function withClock(story: Story | null, history: History): Story | null {
  const { txnBegin, txnBegun, txnCommitting, txnEnd, source } = history;
  if (story === null || txnBegin === null || source.timeUnit === 'none') return story;
  const isReal = source.timeUnit === 'nanoseconds';
  const course = courseOf(history, faultsOf(history).map(inWords));
  const told = course === null ? story : { ...story, course };
  const timeIn = (column: BigInt64Array | null, t: number): number | null => {
    const time = column?.[t] ?? NO_TIME;
    return time === NO_TIME ? null : Number(time) / (isReal ? 1e6 : 1);
  };
  const spans = story.transactions.flatMap(({ id }) => {
    const t = Number(/^t(\d+)$/.exec(id)?.[1] ?? NaN);
    const beginMs = timeIn(txnBegin, t);
    if (beginMs === null) return [];
    const [begunMs, committingMs] = [timeIn(txnBegun, t), timeIn(txnCommitting, t)];
    const inside = { ...(begunMs !== null && { begunMs }), ...(committingMs !== null && { committingMs }) };
    return [{ transaction: id, beginMs, ...inside, endMs: timeIn(txnEnd, t) }];
  });
  if (spans.length === 0) return told;
  const faults = isReal ? faultsDuring(spans, history) : [];
  return { ...told, clock: { spans, faults, unit: isReal ? 'ms' : 'events' } };
}

function faultsDuring(spans: readonly StorySpan[], history: History): StoryFault[] {
  const first = Math.min(...spans.map(({ beginMs }) => beginMs));
  const last = Math.max(...spans.map(({ beginMs, endMs }) => endMs ?? beginMs));
  const met = faultsOf(history).flatMap((fault) => {
    const { text, beginMs, endMs } = inWords(fault);
    if (beginMs > last || (endMs ?? Infinity) < first) return [];
    const during = spans.filter((span) => span.beginMs <= (endMs ?? Infinity) && (span.endMs ?? Infinity) >= beginMs);
    return [{ text, beginMs, endMs, during: during.map(({ transaction }) => transaction) }];
  });
  return met.slice(0, MOST);
}

const inWords = (fault: RecordedFault): Omit<StoryFault, 'during'> => ({
  text: wordsOf(fault),
  beginMs: Number(fault.begin) / 1e6,
  endMs: fault.end === null ? null : Number(fault.end) / 1e6,
});

/** Largest number of faults shown in a long story. */
const MOST = 12;

function wordsOf({ kind, node = 0, delayMs = 0 }: RecordedFault): string {
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
