import type { Chains } from './chains.ts';
import type { Versions } from './versions.ts';

/**
 * The guess, one independent part of the history after the other: transactions that no chain of sessions and common keys
 * connects. Else what is taken back because of a conflict in one part would take all others back with it.
 */
export function partByPart(versions: Versions, chains: Chains, guess: Int32Array): Int32Array {
  const partOf = findParts(versions, chains);
  if (partOf === null) return guess;
  const start = new Int32Array(guess.length + 1);
  const numberOf = new Int32Array(guess.length).fill(-1);
  let numParts = 0;
  for (const t of guess) {
    if (numberOf[partOf[t]] < 0) numberOf[partOf[t]] = numParts++;
    start[numberOf[partOf[t]] + 1]++;
  }
  for (let part = 0; part < numParts; part++) start[part + 1] += start[part];
  const order = new Int32Array(guess.length);
  for (const t of guess) order[start[numberOf[partOf[t]]]++] = t;
  return order;
}

/** For each transaction one that stands for its part; null if all that happened are one part. */
function findParts(versions: Versions, { previous }: Chains): Int32Array | null {
  const { numTxns, numKeys, happened, numHappened, writeStart, writeKey, readStart, readVersion, writer, several } =
    versions;
  if (several !== null) return null;
  const parent = Int32Array.from({ length: numTxns }, (_, t) => t);
  const find = (t: number): number => {
    while (parent[t] !== t) t = parent[t] = parent[parent[t]];
    return t;
  };
  let joined = 0;
  const join = (a: number, b: number): void => {
    const [one, other] = [find(a), find(b)];
    if (one === other) return;
    parent[one] = other;
    joined++;
  };
  const last = new Int32Array(numKeys).fill(-1);
  const touch = (t: number, key: number): void => {
    if (last[key] >= 0) join(last[key], t);
    last[key] = t;
  };
  for (let t = 0; t < numTxns; t++) {
    if (happened[t] === 0) continue;
    if (joined === numHappened - 1) return null;
    if (previous[t] >= 0) join(previous[t], t);
    for (let write = writeStart[t]; write < writeStart[t + 1]; write++) touch(t, writeKey[write]);
    for (let read = readStart[t]; read < readStart[t + 1]; read++) {
      const version = readVersion[read];
      touch(t, version < writer.length ? writeKey[version] : version - writer.length);
    }
  }
  return joined === numHappened - 1 ? null : parent.map((_, t) => find(t));
}
