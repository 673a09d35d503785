import type { History } from '@isolab/history';

/**
 * Runs of transactions, from runs[i] to runs[i + 1] for every even i, that go through all sessions at one pace: what is
 * close in time is then gone through close in time, which on large histories is several times faster, for transactions
 * mostly read what was written lately.
 */
export function runsByPace({ sessionStart }: History): Int32Array {
  const numSessions = sessionStart.length - 1;
  const numTxns = sessionStart[numSessions];
  const rounds = Math.ceil(numTxns / (numSessions * RUN));
  const runs = new Int32Array(2 * numSessions * rounds);
  let count = 0;
  for (let round = 0; round < rounds; round++) {
    for (let s = 0; s < numSessions; s++) {
      const start = sessionStart[s];
      const length = sessionStart[s + 1] - start;
      const from = start + Math.floor((length * round) / rounds);
      const to = start + Math.floor((length * (round + 1)) / rounds);
      if (from === to) continue;
      runs[count++] = from;
      runs[count++] = to;
    }
  }
  return runs.subarray(0, count);
}

/** Transactions in a run, on the average. */
const RUN = 64;
