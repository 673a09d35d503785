import {
  type AnomalyName,
  type FoundAnomaly,
  INITIAL_TXN,
  type IndexedHistory,
  type LevelName,
  type RunContext,
  findAnomaly,
  internalViolations,
} from '@isolab/contract';
import type { InternalAnomalyName } from '@isolab/history';
import { cyclicComponents } from '@isolab/graph';
import { Certifier } from './certificates.ts';
import type { CommitLevel } from './commit-order.ts';
import { type Graph, LabelledPaths, SESSION_LABEL, type PathStep, extendGraph } from './graph.ts';
import type { Built } from './iso-check.ts';
import type { Model } from './model.ts';
import type { PlumeOptions } from './options.ts';
import { INTERNAL_PATTERNS, type Pattern } from './patterns.ts';
import { findTriples } from './triples.ts';

/** The patterns a to f and j, which the history package has found. */
export function internalPatterns(
  input: IndexedHistory,
  level: LevelName,
  { certify, findAll }: Pick<RunContext, 'certify' | 'findAll'>,
): FoundAnomaly[] {
  const present = Object.keys(INTERNAL_PATTERNS) as InternalAnomalyName[];
  const found: FoundAnomaly[] = [];
  // The helper stops at a level's first anomaly, or lists all: check each pattern separately.
  for (const name of present) {
    if (input.internal.counts[name] === 0) continue;
    const ignore = present.filter((other) => other !== name);
    for (const anomaly of internalViolations(input, level, { findAll, ignore })) {
      const { certificate, ...rest } = anomaly;
      found.push({ ...rest, pattern: INTERNAL_PATTERNS[name], ...(certify && certificate && { certificate }) });
    }
  }
  return found;
}

/** The patterns g to n without j, and the orders of lists. */
export function graphPatterns(
  model: Model,
  built: Built,
  level: CommitLevel,
  options: PlumeOptions,
  context: RunContext,
): FoundAnomaly[] {
  const certifier = context.certify && !options.asPublished ? new Certifier(model, level, built) : null;
  const found: FoundAnomaly[] = [];
  let allowance = options.certificates;
  const certified = (pattern: Pattern): boolean =>
    certifier !== null && (!found.some((other) => other.pattern === pattern) || allowance-- > 0);

  if (built.coIsCyclic) {
    for (const steps of cycles(built.coGraph)) {
      const certificate = certified('TAP-g') ? certifier!.cycle(steps) : null;
      found.push({
        name: findAnomaly('TAP-g')!.name,
        pattern: 'TAP-g',
        transactions: steps.map(({ from }) => model.txnOf[from]),
        ...(certificate && { certificate }),
      });
      if (!context.findAll) break;
    }
  }
  const { triples, leftOut } = findTriples(model, built.co, built.cm ?? built.co, {
    level,
    asPublished: options.asPublished,
    findAll: context.findAll,
    limit: options.instances,
    tick: (steps) => context.tick(steps),
  });
  if (leftOut > 0) context.count('instancesLeftOut', leftOut);
  for (const triple of triples) {
    const certificate = certified(triple.pattern) ? certifier!.triple(triple) : null;
    found.push({
      name: findAnomaly(triple.pattern)!.name,
      pattern: triple.pattern,
      transactions: [triple.t1, triple.t2, triple.t3].map((node) => (node < 0 ? INITIAL_TXN : model.txnOf[node])),
      ...(certificate && { certificate }),
    });
  }
  return [...found, ...listAnomalies(model, built, certifier, context)];
}

/** Lists that contradict each other, or that contradict session order and reads. */
function listAnomalies(
  model: Model,
  { versions, commit, cm, coGraph }: Built,
  certifier: Certifier | null,
  { findAll }: RunContext,
): FoundAnomaly[] {
  const found: FoundAnomaly[] = versions.conflicts.map((conflict) => ({
    name: findAnomaly(conflict.name)?.name ?? 'G0',
    pattern: conflict.name,
    transactions: conflict.transactions,
    ...(certifier && { certificate: certifier.lists(conflict) }),
  }));
  if (versions.from.length > 0 && cm !== null) {
    const firstLabel = model.reads.writer.length + commit.from.length; // as in G_CM
    for (const steps of cycles(extendGraph(coGraph, versions.from, versions.to, firstLabel))) {
      if (!steps.some(({ label }) => label >= firstLabel)) continue; // TAP-g
      found.push({
        name: cycleName(model, steps),
        transactions: steps.map(({ from }) => model.txnOf[from]),
        ...(certifier && { certificate: certifier.cycle(steps) }),
      });
      if (!findAll) break;
    }
  }
  return findAll ? found : firstOfEach(found);
}

const cycleName = ({ reads }: Model, steps: readonly PathStep[]): AnomalyName =>
  steps.some(({ label }) => label !== SESSION_LABEL && label < reads.first.length) ? 'G1c' : 'G0';

const firstOfEach = (found: readonly FoundAnomaly[]): FoundAnomaly[] =>
  found.filter(
    ({ name, pattern }, i) => found.findIndex((other) => other.name === name && other.pattern === pattern) === i,
  );

/**
 * A short cycle for every component: a shortest cycle through its first node. CyclicCO (TAP-g) has one instance per
 * component: the transactions whose vectors are equal (Algorithm 1, line 9).
 */
function* cycles(graph: Graph): Generator<readonly PathStep[]> {
  const paths = new LabelledPaths(graph);
  for (const [first] of cyclicComponents(paths.digraph)) yield paths.path(first, first)!;
}
