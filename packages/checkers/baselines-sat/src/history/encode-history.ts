import {
  type CheckInput,
  type FoundAnomaly,
  INITIAL_TXN,
  type LevelName,
  type SatisfiedCertificate,
} from '@isolab/contract';
import { Formula } from '../formula.ts';
import type { EncodingName, EncodingOptions, PolygraphEncoding } from '../options.ts';
import { encodePolygraph } from '../polygraph/encode-polygraph.ts';
import type { Problem } from '../problem.ts';
import type { Satisfiable } from '../solvers/answer.ts';
import { encodeAsi, eventsIn } from './asi-mono.ts';
import { type DbcopSatLevel, certificateOf, encodeDbcopSat } from './dbcop-sat.ts';
import { type Facts, factsOf } from './facts.ts';
import { polygraphOfHistory } from './polygraph.ts';
import { cycleOf, encodeTccMono } from './tcc-mono.ts';
import { anomalyWithoutModel, readFromCycle } from './without-model.ts';

export type EncodedHistory =
  | {
      readonly problem: Problem;
      certificate(model: Satisfiable): SatisfiedCertificate;
      /** What to say if there is no model. */
      anomaly(): FoundAnomaly;
    }
  /** The encoding itself finds that it is violated. */
  | { readonly problem: null; readonly anomaly: FoundAnomaly };

/** The problem of a history without internal anomalies, by an encoding of the level. Throws Stop beyond its limits. */
export function encodeHistory(
  input: CheckInput,
  level: LevelName,
  encoding: EncodingName,
  options: EncodingOptions,
  tick: (steps: number) => void = () => {},
): EncodedHistory {
  const facts = factsOf(input);
  if (encoding === 'dbcop-sat') return dbcopSat(facts, level as DbcopSatLevel, options, tick);
  if (encoding === 'tcc-mono') return tccMono(facts, options, tick);
  if (encoding === 'asi-mono' || encoding === 'asi-mono-opt')
    return asiMono(input, facts, encoding === 'asi-mono-opt', options, tick);
  return ofPolygraph(facts, level, encoding, options, tick);
}

function dbcopSat(
  facts: Facts,
  level: DbcopSatLevel,
  options: EncodingOptions,
  tick: (steps: number) => void,
): EncodedHistory {
  const formula = new Formula(options, tick);
  const relations = encodeDbcopSat(formula, facts, level, tick);
  return {
    problem: { formula, graph: null },
    certificate: ({ model }) => certificateOf(facts, level, relations, model),
    anomaly: () => anomalyWithoutModel(facts, level),
  };
}

function ofPolygraph(
  facts: Facts,
  level: LevelName,
  encoding: PolygraphEncoding,
  options: EncodingOptions,
  tick: (steps: number) => void,
): EncodedHistory {
  const polygraph = polygraphOfHistory(facts, level === 'serializable', tick);
  const { problem, orderIn } = encodePolygraph(polygraph, encoding, options, tick);
  return {
    problem,
    certificate: ({ model }) => commitOrder(facts, orderIn(model)),
    anomaly: () => anomalyWithoutModel(facts, level),
  };
}

function asiMono(
  input: CheckInput,
  facts: Facts,
  optimise: boolean,
  options: EncodingOptions,
  tick: (steps: number) => void,
): EncodedHistory {
  const formula = new Formula(options, tick);
  const encoded = encodeAsi(formula, input, optimise, tick);
  if (encoded.lostUpdate !== null)
    return { problem: null, anomaly: { name: 'lost-update', transactions: encoded.lostUpdate } };
  return {
    problem: { formula, graph: encoded.graph },
    certificate: ({ model }) => ({ kind: 'event-order', events: eventsIn(encoded.timestamps, model) }),
    anomaly: () => anomalyWithoutModel(facts, 'adya-snapshot-isolation'),
  };
}

function tccMono(facts: Facts, options: EncodingOptions, tick: (steps: number) => void): EncodedHistory {
  const { graph, cycle } = encodeTccMono(facts, options.maxBytes, tick);
  if (cycle !== null) return { problem: null, anomaly: readFromCycle(facts, cycle, true) };
  return {
    problem: { formula: new Formula(options, tick), graph },
    certificate: ({ order }) => commitOrder(facts, order!),
    anomaly: () => anomalyOf('causality-violation', facts, cycleOf(graph)!),
  };
}

function commitOrder({ numNodes, txnOf }: Facts, order: Int32Array): SatisfiedCertificate {
  const nodes = order.filter((node) => node < numNodes);
  return { kind: 'commit-order', order: Array.from(nodes, (node) => txnOf[node]) };
}

function anomalyOf(name: string, { numNodes, txnOf }: Facts, nodes: readonly number[]): FoundAnomaly {
  return { name, transactions: nodes.map((node) => (node < numNodes ? txnOf[node] : INITIAL_TXN)) };
}
