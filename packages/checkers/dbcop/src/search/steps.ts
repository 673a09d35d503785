import type { LevelName } from '@isolab/contract';
import { type Adjacency, IntList, digraphOf } from '@isolab/graph';
import type { Dependencies } from '../dependencies/dependencies.ts';
import type { Sources } from '../dependencies/sources.ts';
import { type SearchVersions, versionsOf } from './versions.ts';

export const SEARCH_LEVELS = ['prefix', 'snapshot-isolation', 'serializable'] as const satisfies readonly LevelName[];

export type SearchLevel = (typeof SEARCH_LEVELS)[number];

/**
 * Steps of the search: nodes at serializable; at lower levels, 2n for the reads of node n (Rₜ), 2n + 1 for its writes
 * (Wₜ).
 */
export interface Steps {
  readonly level: SearchLevel;
  readonly numSteps: number;
  readonly numSessions: number;
  readonly sessionOf: Int32Array;
  /** First step of each session, with one extra slot at the end. */
  readonly first: Int32Array;
  /** Steps of other sessions that must wait for each step, and the number of steps that each step waits for. */
  readonly followers: Adjacency;
  readonly waitsFor: Int32Array;
  readonly versions: SearchVersions;
}

export interface StepsInput {
  readonly deps: Dependencies;
  readonly sources: Sources;
  /** Result of the causal check: nodes that must precede each node. */
  readonly saturation: Adjacency;
  readonly level: SearchLevel;
  readonly initialReads: boolean;
  /** Whether saturation orders the reads of a node, not just its writes (at prefix as published; see README.md). */
  readonly strictPrefix: boolean;
}

export const isSplit = (level: SearchLevel): boolean => level !== 'serializable';

export function stepsOf(input: StepsInput): Steps {
  const { deps, level, initialReads } = input;
  const parts = isSplit(level) ? 2 : 1;
  const numSteps = parts * deps.numNodes;
  const sessionOf = new Int32Array(numSteps);
  for (let step = 0; step < numSteps; step++) sessionOf[step] = deps.session[isSplit(level) ? step >> 1 : step];
  const first = new Int32Array(deps.numSessions + 1);
  for (let step = 0; step < numSteps; step++) first[sessionOf[step] + 1]++;
  for (let s = 0; s < deps.numSessions; s++) first[s + 1] += first[s];
  const waits = waitsOf(input, numSteps);
  return {
    level,
    numSteps,
    numSessions: deps.numSessions,
    sessionOf,
    first,
    ...waits,
    versions: versionsOf(deps, initialReads),
  };
}

/** WR and the edges of saturation, as edges between steps of different sessions. */
function waitsOf({ deps, sources, saturation, level, strictPrefix }: StepsInput, numSteps: number) {
  const { numNodes, session } = deps;
  const split = isSplit(level);
  const beforeReads = level === 'snapshot-isolation' || strictPrefix;
  const before = new IntList();
  const after = new IntList();
  const waitsFor = new Int32Array(numSteps);
  const connect = (from: number, to: number, toReads: boolean): void => {
    if (session[from] === session[to]) return; // the causal check has ensured agreement with session order
    const step = split ? 2 * to + (toReads ? 0 : 1) : to;
    before.push(split ? 2 * from + 1 : from);
    after.push(step);
    waitsFor[step]++;
  };
  for (let node = 0; node < numNodes; node++) {
    for (let i = sources.start[node]; i < sources.end[node]; i++) connect(sources.node[i], node, true);
    for (let i = saturation.start[node]; i < saturation.start[node + 1]; i++)
      connect(saturation.target[i], node, beforeReads);
  }
  return { followers: digraphOf(numSteps, before.view(), after.view()), waitsFor };
}
