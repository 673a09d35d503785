import {
  type AnomalyName,
  type ByLevel,
  type Edge,
  type FoundAnomaly,
  INITIAL_TXN,
  type IndexedHistory,
  type LevelName,
  type SatisfiedCertificate,
} from '@isolab/contract';
import { INITIAL } from '@isolab/graph/relations';
import type { PolygraphInput } from '@isolab/history';
import { DimacsSize } from '../polygraph/dimacs-size.ts';
import { Formula } from '../formula/formula.ts';
import type { EncodingOptions, PolygraphEncoding } from '../polygraph/options.ts';
import type { EncodingName } from './encodings.ts';
import { encodePolygraph } from '../polygraph/encode-polygraph.ts';
import { type Problem, addEdge, emptyGraph } from '../formula/problem.ts';
import type { Satisfiable } from '../solvers/answer.ts';
import { encodeAsi, eventsIn } from './asi-mono.ts';
import { type DbcopSatLevel, certificateOf, encodeDbcopSat } from './dbcop-sat.ts';
import { type EncodedFacts, factsOf } from './facts.ts';
import { cycleOf, encodeTccMono } from './tcc-mono.ts';

export type EncodedHistory =
  | {
      readonly problem: Problem;
      certificate(model: Satisfiable): SatisfiedCertificate;
      anomaly(): FoundAnomaly;
    }
  /** The encoding itself finds a violation. */
  | { readonly problem: null; readonly anomaly: FoundAnomaly };

/** Size of dbcop's file for a SAT solver, which the paper limited to 10 GB. */
export function dbcopFileBytes(
  input: IndexedHistory,
  level: LevelName,
  tick: (steps: number) => void = () => {},
): number {
  const size = new DimacsSize(tick);
  encodeDbcopSat(size, factsOf(input), level as DbcopSatLevel, tick);
  return size.fileBytes;
}

/** Encodes a history without internal anomalies with an encoding of the level. Throws Stop beyond its limits. */
export function encodeHistory(
  input: IndexedHistory,
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
  facts: EncodedFacts,
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
  facts: EncodedFacts,
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
  input: IndexedHistory,
  facts: EncodedFacts,
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

function tccMono(facts: EncodedFacts, options: EncodingOptions, tick: (steps: number) => void): EncodedHistory {
  const { graph, cycle } = encodeTccMono(facts, options.maxBytes, tick);
  if (cycle !== null) return { problem: null, anomaly: readFromCycle(facts, cycle, true) };
  return {
    problem: { formula: new Formula(options, tick), graph },
    certificate: ({ order }) => commitOrder(facts, order!),
    anomaly: () => anomalyOf('causality-violation', facts, cycleOf(graph)!),
  };
}

function commitOrder({ numNodes, txnOf }: EncodedFacts, order: Int32Array): SatisfiedCertificate {
  const nodes = order.filter((node) => node < numNodes);
  return { kind: 'commit-order', order: Array.from(nodes, (node) => txnOf[node]) };
}

function anomalyOf(name: AnomalyName, { numNodes, txnOf }: EncodedFacts, nodes: readonly number[]): FoundAnomaly {
  return { name, transactions: nodes.map((node) => (node < numNodes ? txnOf[node] : INITIAL_TXN)) };
}

/**
 * A formula without a model shows only that no order exists. Read-from and session order may already have a cycle,
 * which is easily found and proves the violation. Otherwise the anomaly is named after the patterns that the level
 * forbids and the next weaker level allows. All transactions take part, as it is unknown which of them matter.
 */
function anomalyWithoutModel(facts: EncodedFacts, level: LevelName): FoundAnomaly {
  const { numNodes, session, readFrom, txnOf } = facts;
  const sessions = !WITHOUT_SESSIONS.includes(level);
  const graph = emptyGraph(numNodes);
  for (const { writer, reader } of readFrom) if (writer !== INITIAL) addEdge(graph, writer, reader);
  if (sessions) for (let n = 1; n < numNodes; n++) if (session[n] === session[n - 1]) addEdge(graph, n - 1, n);
  const cycle = cycleOf(graph);
  if (cycle !== null) return readFromCycle(facts, cycle, sessions);
  return { name: NAMES[level] ?? 'G2-item', transactions: Array.from(txnOf) };
}

/** A cycle of read-from and, if it counts, session order. */
function readFromCycle(facts: EncodedFacts, nodes: readonly number[], sessions: boolean): FoundAnomaly {
  const { readFrom, session, txnOf } = facts;
  const edges = nodes.map((from, i): Edge => {
    const to = nodes[(i + 1) % nodes.length]!;
    const ends = { from: txnOf[from], to: txnOf[to] };
    if (sessions && session[from] === session[to] && from < to) return { ...ends, reason: { kind: 'session' } };
    const { op } = readFrom.find(({ reader, writer }) => reader === to && writer === from)!;
    return { ...ends, reason: { kind: 'read-from', read: op } };
  });
  return { name: 'G1c', transactions: nodes.map((n) => txnOf[n]), certificate: { kind: 'cycle', edges } };
}

const WITHOUT_SESSIONS: readonly LevelName[] = ['plain-serializable', 'adya-snapshot-isolation'];

const NAMES: ByLevel<AnomalyName> = {
  'read-committed': 'non-monotonic-read',
  'read-committed-dbcop': 'non-monotonic-read',
  'read-atomic': 'fractured-read',
  causal: 'causality-violation',
  prefix: 'G-nonadjacent',
  'adya-snapshot-isolation': 'G-nonadjacent',
  'snapshot-isolation': 'G-nonadjacent',
};

/** The polygraph of serializability, as in CobraSAT. Readers of the initial state precede all writers. */
function polygraphOfHistory(facts: EncodedFacts, sessions: boolean, tick: (steps: number) => void): PolygraphInput {
  const { numNodes, session, readFrom, writers } = facts;
  const edges = new Pairs(numNodes);
  const constraints: number[] = [];
  const known = new Set<number>(); // constraints; several keys may yield equal constraints
  if (sessions) for (let n = 1; n < numNodes; n++) if (session[n] === session[n - 1]) edges.add(n - 1, n);
  for (const { reader, key, writer } of readFrom) {
    if (writer !== INITIAL) edges.add(writer, reader);
    for (const other of writers[key]!) {
      if (other === reader || other === writer) continue;
      if (writer === INITIAL) {
        edges.add(reader, other);
        continue;
      }
      const identity = (reader * numNodes + other) * numNodes + writer;
      if (known.has(identity)) continue;
      known.add(identity);
      constraints.push(reader, other, other, writer);
    }
    tick(writers[key]!.length);
  }
  return { name: '', nodes: numNodes, edges: Int32Array.from(edges.list), constraints: Int32Array.from(constraints) };
}

class Pairs {
  readonly list: number[] = [];
  readonly #numNodes: number;
  readonly #known = new Set<number>();

  constructor(numNodes: number) {
    this.#numNodes = numNodes;
  }

  add(from: number, to: number): void {
    const identity = from * this.#numNodes + to;
    if (this.#known.has(identity)) return;
    this.#known.add(identity);
    this.list.push(from, to);
  }
}
