import type { LevelName } from '@isolab/contract';
import {
  type Chains,
  type Constraints,
  type KnownGraph,
  type SerialPart,
  type SerialVersions,
  type SerialVersionBuilder,
  chainsOf,
  serialConstraints,
  serialKnownEdges,
} from '@isolab/polygraph';
import type { CobraOptions } from './options.ts';
import { splitConstraints, splitKnownEdges } from './split.ts';

/** A polygraph, and the data to translate it back to transactions. */
export interface Problem {
  readonly versions: SerialVersions;
  readonly chains: Chains;
  readonly known: KnownGraph;
  readonly numNodes: number;
  /** Whether each node is half a transaction: 2n its snapshot, 2n + 1 its commit. */
  readonly split: boolean;
  makeConstraints(): Constraints;
}

export const isSnapshotLevel = (level: LevelName): boolean => level.endsWith('snapshot-isolation');
const hasSessions = (level: LevelName): boolean => level === 'serializable' || level === 'snapshot-isolation';

/** Builds the polygraph of a part of a history: known edges immediately, constraints on request. */
export function problemOf(
  builder: SerialVersionBuilder,
  part: SerialPart,
  level: LevelName,
  { combine, coalesce }: Pick<CobraOptions, 'combine' | 'coalesce'>,
  tick: (steps: number) => void,
  beforeBase: Uint8Array | null = null,
): Problem {
  const versions = builder.build(part);
  const sessions = hasSessions(level);
  const numTxns = part.txns.length;
  if (isSnapshotLevel(level)) {
    const options = { sessions, coalesce, tick };
    return {
      versions,
      chains: chainsOf(versions, false),
      known: splitKnownEdges(versions, options),
      numNodes: 2 * numTxns,
      split: true,
      makeConstraints: () => splitConstraints(versions, options),
    };
  }
  const chains = chainsOf(versions, combine);
  const options = { sessions, coalesce, beforeBase, tick };
  return {
    versions,
    chains,
    known: serialKnownEdges(versions, chains, combine, options),
    numNodes: numTxns,
    split: false,
    makeConstraints: () => serialConstraints(versions, chains, options),
  };
}

export const txnOfNode = ({ versions, split }: Problem, node: number): number =>
  versions.txnOf[split ? node >> 1 : node];
