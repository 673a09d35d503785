import type { History } from '@isolab/history';

/** Chains of transactions that happened, which the replay follows: sessions, or pieces of sessions. */
export interface Chains {
  readonly chainOf: Int32Array;
  readonly numChains: number;
  /** Previous and next transaction of each transaction in its chain, or −1. */
  readonly previous: Int32Array;
  readonly next: Int32Array;
}

/**
 * Splits sessions into chains. `cut` has 1 for each transaction that begins a new chain. `optional` transactions refer
 * to their predecessor, but the predecessor does not refer to them.
 */
export function chainsOf(
  history: History,
  happened: Uint8Array,
  cut: Uint8Array,
  optional: Uint8Array | null = null,
): Chains {
  const { sessionStart } = history;
  const numTxns = happened.length;
  const chainOf = new Int32Array(numTxns).fill(-1);
  const previous = new Int32Array(numTxns).fill(-1);
  const next = new Int32Array(numTxns).fill(-1);
  let numChains = 0;
  for (let s = 0; s + 1 < sessionStart.length; s++) {
    let last = -1;
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      if (!happened[t]) {
        if (optional?.[t] !== 1 || last < 0) continue;
        previous[t] = last;
        chainOf[t] = numChains - 1;
        continue;
      }
      if (last < 0 || cut[t] === 1) {
        numChains++;
      } else {
        previous[t] = last;
        next[last] = t;
      }
      chainOf[t] = numChains - 1;
      last = t;
    }
  }
  return { chainOf, numChains, previous, next };
}
