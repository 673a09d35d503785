import { BLIND, type SerialVersions, baseRow, countVersions } from './serial-versions.ts';

/** Cobra's combined writes: a reader that overwrites a version writes its direct successor, which forms chains. */
export interface Chains {
  /** First chain of each key, with one extra slot. */
  readonly keyStart: Int32Array;
  /** First place of each chain, with one extra slot. */
  readonly start: Int32Array;
  /** Versions, chain by chain. */
  readonly version: Int32Array;
  /** For each key, the chain that begins with a reader of the base, or −1; this chain precedes all others. */
  readonly base: Int32Array;
}

export const headOf = ({ start, version }: Chains, chain: number): number => version[start[chain]];
export const tailOf = ({ start, version }: Chains, chain: number): number => version[start[chain + 1] - 1];

/**
 * Returns the chains of all keys; if `combine` is false, every version is a chain. A second overwriter begins a new
 * chain.
 */
export function chainsOf(versions: SerialVersions, combine: boolean): Chains {
  const { keyStart: versionStart, overwrites } = versions;
  const numVersions = countVersions(versions);
  const numKeys = versionStart.length - 1;
  const next = new Int32Array(numVersions + numKeys).fill(-1); // by row: the version that overwrites it
  if (combine) {
    for (let v = 0; v < numVersions; v++)
      if (overwrites[v] !== BLIND && next[overwrites[v]] < 0) next[overwrites[v]] = v;
  }
  const keyStart = new Int32Array(numKeys + 1);
  const start = new Int32Array(numVersions + 1);
  const version = new Int32Array(numVersions);
  const base = new Int32Array(numKeys).fill(-1);
  let numChains = 0;
  let placed = 0;
  for (let key = 0; key < numKeys; key++) {
    for (let head = versionStart[key]; head < versionStart[key + 1]; head++) {
      const before = overwrites[head];
      const isBase = before === baseRow(versions, key);
      if (combine && before !== BLIND && !isBase && next[before] === head) continue;
      if (combine && isBase && next[before] === head) base[key] = numChains;
      for (let v = head; v >= 0; v = next[v]) version[placed++] = v;
      start[++numChains] = placed;
    }
    keyStart[key + 1] = numChains;
  }
  return { keyStart, start: start.subarray(0, numChains + 1), version: version.subarray(0, placed), base };
}
