import type { IndexedHistory } from '@isolab/contract';
import { OpKind, ReadFrom } from '@isolab/history';
import { versionsOfLists } from './lists.ts';
import { type Model, buildModel } from './model.ts';
import { type Assumptions, versionsOfRegisters } from './registers.ts';
import type { InferredVersions } from './versions.ts';

/** Share of a history that the inference explains. */
export interface Coverage {
  /** Number of reads in transactions that happened, and of reads with a known source. */
  readonly reads: number;
  readonly resolvedReads: number;
  /** Number of written keys, and of keys whose versions are in a known order. */
  readonly keys: number;
  readonly orderedKeys: number;
  /** Number of versions except initial states, and of versions whose direct predecessor is known. */
  readonly versions: number;
  readonly orderedVersions: number;
}

export function coverage({ history, index }: IndexedHistory, assumptions: Assumptions): Coverage {
  const model = buildModel(history, index);
  return coverageOf(model, findVersions(model, assumptions));
}

export const findVersions = (model: Model, assumptions: Assumptions): InferredVersions =>
  model.kind === 'list-append' ? versionsOfLists(model) : versionsOfRegisters(model, assumptions);

export function coverageOf(model: Model, versions: InferredVersions): Coverage {
  return { ...countReads(model, versions), ...countOrdered(versions) };
}

function countReads({ history, index, nodeOfOp }: Model, { versionRead }: InferredVersions) {
  const { opKind } = history;
  let reads = 0;
  let resolvedReads = 0;
  for (let op = 0; op < versionRead.length; op++) {
    if (nodeOfOp[op] < 0 || (opKind[op] !== OpKind.Read && opKind[op] !== OpKind.ListRead)) continue;
    reads++;
    // A read that saw no version of another transaction may still have seen the transaction's own write.
    if (versionRead[op] >= 0 || index.readFrom[op] >= ReadFrom.Initial) resolvedReads++;
  }
  return { reads, resolvedReads };
}

/** A version order is total if repeatedly removing a version without predecessors never leaves a choice. */
function countOrdered({ numKeys, key, order }: InferredVersions) {
  const { start, target } = order;
  const missing = new Int32Array(key.length);
  for (let i = 0; i < target.length; i++) missing[target[i]]++;
  const ofKey = new Int32Array(numKeys);
  for (let v = numKeys; v < key.length; v++) ofKey[key[v]]++;

  const queue = new Int32Array(key.length);
  let keys = 0;
  let orderedKeys = 0;
  let orderedVersions = 0;
  for (let k = 0; k < numKeys; k++) {
    if (ofKey[k] === 0) continue;
    keys++;
    let alone = 0;
    let tail = 0;
    queue[tail++] = k;
    for (let head = 0; head < tail;) {
      const levelEnd = tail;
      const wasAlone = levelEnd - head === 1;
      for (; head < levelEnd; head++) {
        const version = queue[head];
        for (let i = start[version]; i < start[version + 1]; i++)
          if (--missing[target[i]] === 0) queue[tail++] = target[i];
      }
      if (wasAlone && tail - levelEnd === 1) alone++;
    }
    orderedVersions += alone;
    if (alone === ofKey[k]) orderedKeys++;
  }
  return { keys, orderedKeys, versions: key.length - numKeys, orderedVersions };
}
