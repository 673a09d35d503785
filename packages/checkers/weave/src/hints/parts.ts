import { rowsBy } from '@isolab/graph';
import type { Chains } from '../problem/chains.ts';
import type { Versions } from '../problem/versions.ts';

/**
 * Rearranges the guess so that independent parts of the history follow one another. Then a conflict takes back only
 * events of its own part. Parts share no sessions and no keys.
 */
export function partByPart(versions: Versions, chains: Chains, guess: Int32Array): Int32Array {
  const partOf = findParts(versions, chains, guess);
  if (partOf === null) return guess;
  const numberOf = new Int32Array(guess.length + 1).fill(-1);
  let numParts = 0;
  for (const t of guess) if (numberOf[partOf[t]] < 0) numberOf[partOf[t]] = numParts++;
  const parts = guess.map((t) => numberOf[partOf[t]]);
  return rowsBy(parts, numParts).item.map((place) => guess[place]);
}

/**
 * Returns the representative chain of each transaction's part; null if all chains form one part. Transactions that did
 * not happen form a part of their own.
 */
function findParts(versions: Versions, { chainOf, numChains }: Chains, guess: Int32Array): Int32Array | null {
  const { numKeys, happened, writeStart, writeKey, readStart, readVersion, writer, several } = versions;
  if (several !== null) return null;
  const parent = Int32Array.from({ length: numChains }, (_, chain) => chain);
  const find = (chain: number): number => {
    while (parent[chain] !== chain) chain = parent[chain] = parent[parent[chain]];
    return chain;
  };
  const last = new Int32Array(numKeys).fill(-1);
  /** Returns the number of parts (0 or 1) that disappear because a chain touches a key. */
  const joined = (chain: number, key: number): number => {
    const other = last[key];
    last[key] = chain;
    if (other < 0 || other === chain) return 0;
    const [one, another] = [find(other), find(chain)];
    parent[one] = another;
    return one === another ? 0 : 1;
  };
  let parts = numChains;
  for (let i = 0; i < guess.length && parts > 1; i++) {
    const t = guess[i];
    if (happened[t] === 0) continue;
    for (let write = writeStart[t]; write < writeStart[t + 1]; write++) parts -= joined(chainOf[t], writeKey[write]);
    for (let read = readStart[t]; read < readStart[t + 1]; read++) {
      const version = readVersion[read];
      parts -= joined(chainOf[t], version < writer.length ? writeKey[version] : version - writer.length);
    }
  }
  return parts <= 1 ? null : chainOf.map((chain) => (chain < 0 ? numChains : find(chain)));
}
