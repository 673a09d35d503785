import type { Edge } from '@isolab/contract';
import { eachEdge } from '../proof/each-edge.ts';
import type { Chains } from '../problem/chains.ts';

/**
 * Returns the links between session neighbours that cycles rest on, as their second transactions. Each stretch of links
 * is represented by its first and its last link.
 */
export function linksUsed(cycles: readonly (readonly Edge[])[], { next }: Chains): number[] {
  const links = new Set<number>();
  eachEdge(cycles, ({ from, to, reason }) => {
    if (reason.kind === 'session') links.add(to).add(next[from]);
  });
  return [...links];
}

/** Cuts links and all transactions near them in the guess: a session violation is seldom limited to one link. */
export function cutAround(links: readonly number[], width: number, cut: Uint8Array, guess: Int32Array): void {
  const isLink = new Uint8Array(guess.length);
  for (const t of links) isLink[t] = 1;
  for (let rank = 0; rank < guess.length; rank++)
    if (isLink[guess[rank]] === 1)
      for (const t of guess.subarray(Math.max(rank - width, 0), rank + width + 1)) cut[t] = 1;
}
