import type { History } from '@isolab/history';

/** Transactions that happened, in chains along which the schedule goes: sessions, or pieces of them. */
export interface Chains {
  readonly chainOf: Int32Array;
  readonly numChains: number;
  /** The transaction before and after each one in its chain, or −1. */
  readonly previous: Int32Array;
  readonly next: Int32Array;
}

/**
 * `cut` has 1 for each transaction that begins a chain of its own. `optional` transactions know their predecessor,
 * which does not know them.
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
