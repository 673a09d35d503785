import { type History, NO_TIME, TxnStatus } from '@isolab/history';
import type { StoryCourse, StoryFault } from '@isolab/story';

/**
 * Course of a history on a real clock: throughput, aborts and latency in slots of one length. Returns null where the
 * times are absent or logical, or for too few transactions.
 */
export function courseOf(history: History, faults: readonly Omit<StoryFault, 'during'>[]): StoryCourse | null {
  const { txnBegin, txnEnd, txnStatus, source } = history;
  if (txnBegin === null || txnEnd === null || source.timeUnit !== 'nanoseconds') return null;
  const isTimed = (t: number): boolean => txnBegin[t] !== NO_TIME && txnEnd[t] !== NO_TIME;
  let [first, last, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (let t = 0; t < txnStatus.length; t++) {
    if (!isTimed(t)) continue;
    count++;
    first = Math.min(first, Number(txnBegin[t]));
    last = Math.max(last, Number(txnEnd[t]));
  }
  if (count < FEWEST || last <= first) return null;
  const slotNs = (last - first) / SLOTS;
  const every = Math.ceil(count / MOST_LATENCIES);
  const slots = Array.from({ length: SLOTS }, () => ({ committed: 0, aborted: 0, latencies: [] as number[] }));
  for (let t = 0; t < txnStatus.length; t++) {
    if (!isTimed(t)) continue;
    const slot = slots[Math.min(SLOTS - 1, Math.floor((Number(txnEnd[t]) - first) / slotNs))]!;
    if (txnStatus[t] === TxnStatus.Committed) slot.committed++;
    if (txnStatus[t] === TxnStatus.Aborted) slot.aborted++;
    if (t % every === 0) slot.latencies.push(Number(txnEnd[t]! - txnBegin[t]!) / 1e6);
  }
  const slotMs = slotNs / 1e6;
  const perSecond = (transactions: number): number => transactions / (slotMs / 1000);
  const sorted = slots.map(({ latencies }) => latencies.toSorted((a, b) => a - b));
  const quantile = (share: number): (number | null)[] =>
    sorted.map((latencies) => latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))] ?? null);
  return {
    slotMs,
    committed: slots.map(({ committed }) => perSecond(committed)),
    aborted: slots.map(({ aborted }) => perSecond(aborted)),
    medianMs: quantile(0.5),
    slowMs: quantile(0.95),
    faults: faults
      .map(({ text, beginMs, endMs }) => ({
        text,
        beginMs: beginMs - first / 1e6,
        endMs: endMs === null ? null : endMs - first / 1e6,
      }))
      .filter(({ beginMs, endMs }) => beginMs <= SLOTS * slotMs && (endMs ?? 0) >= 0),
  };
}

const SLOTS = 60;
const FEWEST = 200;
/** In a longer history only a sample of the transactions has its latency measured. */
const MOST_LATENCIES = 200_000;
