import {
  API_VERSION,
  type CheckerVerdict,
  type IndexedHistory,
  type InputOf,
  type LevelName,
  type RunContext,
  defineChecker,
  internalViolations,
  polygraphVerdict,
} from '@isolab/contract';
import { type PolygraphInput, checkShape, happenedTransactions } from '@isolab/history';
import { SerialVersionBuilder, plainPolygraph } from '@isolab/polygraph';
import { decidePolygraph } from './acyclic/decide-polygraph.ts';
import { type CausalEncoding, decideCausal } from './causal/causal.ts';
import type { Limits } from './clingo/clingo.ts';
import { type AspOptions, ENCODINGS, type Encoding, LEVEL_OF, OPTIONS, VARIANTS } from './options.ts';

/** Levels as answer set programs for clingo: CausalC+ (a baseline of Plume's) and SAT modulo acyclicity. */
export const baselinesAsp = defineChecker<AspOptions, 'history' | 'polygraph'>({
  info: {
    name: 'baselines-asp',
    title: 'Baselines on clingo',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: {
      title: 'Plume: Efficient and Complete Black-Box Checking of Weak Isolation Levels',
      authors: 'Si Liu, Long Gu, Hengfeng Wei, David Basin',
      venue: 'OOPSLA',
      year: 2024,
    },
    levels: ['causal', 'snapshot-isolation', 'serializable'],
    sound: true,
    complete: true,
    requires: ['unique-values', 'registers', 'no-unknown'],
    accepts: ['history', 'polygraph'],
    options: OPTIONS,
    variants: VARIANTS,
  },
  async check(input, level, options, context) {
    context.stage('construct');
    const encoding =
      options.encoding === 'auto' ? ENCODINGS.find((each) => LEVEL_OF[each] === level)! : options.encoding;
    const detail = unfit(input, level, encoding);
    if (detail !== null) return { status: 'unknown', reason: 'unsupported', detail };
    if (input.kind === 'polygraph') return polygraphVerdict(await decidePolygraph(input.polygraph, options, context));
    context.tick(input.history.opKind.length);
    const anomalies = internalViolations(input, level, { findAll: context.findAll });
    if (anomalies.length > 0) return { status: 'violated', anomalies };
    const txns = happenedTransactions(input.index.outcome);
    return encoding === 'causal-c-plus' || encoding === 'causal-c'
      ? checkCausal(input, txns, encoding, options, context)
      : checkAcyclic(input, txns, encoding, options, context);
  },
});

/** Reason why an encoding does not decide the question, or null. */
function unfit(input: InputOf<'history' | 'polygraph'>, level: LevelName, encoding: Encoding): string | null {
  if (!ENCODINGS.includes(encoding)) return `unknown encoding ${String(encoding)}`;
  if (LEVEL_OF[encoding] !== level) return `the encoding ${encoding} decides ${LEVEL_OF[encoding]}, not ${level}`;
  if (encoding !== 'causal-c' || input.kind === 'polygraph') return null;
  const { holds, firstTxn } = checkShape(input.history, input.index, 'single-operations');
  return holds
    ? null
    : `the encoding causal-c takes transactions of one operation, and transaction ${firstTxn} has more`;
}

async function checkCausal(
  input: IndexedHistory,
  txns: Int32Array,
  encoding: CausalEncoding,
  limits: Limits,
  context: RunContext,
): Promise<CheckerVerdict> {
  const answer = await decideCausal(input, txns, encoding, limits, context);
  if (answer.status === 'unknown') return answer;
  if (answer.status === 'violated') {
    const name = answer.isCausalCycle ? 'G1c' : 'causality-violation';
    return { status: 'violated', anomalies: [{ name, transactions: answer.txns }], uncertified: 'solver' };
  }
  if (!context.certify) return { status: 'satisfied' };
  return { status: 'satisfied', certificate: { kind: 'commit-order', order: answer.order } };
}

async function checkAcyclic(
  input: IndexedHistory,
  txns: Int32Array,
  encoding: 'acyclic-si' | 'acyclic-ser',
  limits: Limits,
  context: RunContext,
): Promise<CheckerVerdict> {
  const isSnapshot = encoding === 'acyclic-si';
  const tick = (steps: number): void => context.tick(steps);
  const polygraph = isSnapshot
    ? snapshotPolygraph(input, txns, tick)
    : plainPolygraph(input.history, input.index, txns, { sessions: true, tick });
  const answer = await decidePolygraph(polygraph, limits, context);
  if (answer.status === 'unknown') return answer;
  if (answer.status === 'unsatisfiable') {
    // Clingo says only that there is no order of all that happened. So the name is that of the cycles whose absence
    // defines the level in Adya's terms (G-SIb, G2), and there is no certificate.
    const name = isSnapshot ? 'G-nonadjacent' : 'G2-item';
    return { status: 'violated', anomalies: [{ name, transactions: Array.from(txns) }], uncertified: 'solver' };
  }
  if (!context.certify) return { status: 'satisfied' };
  if (!isSnapshot)
    return {
      status: 'satisfied',
      certificate: { kind: 'commit-order', order: Array.from(answer.order, (n) => txns[n]) },
    };
  const events = Array.from(answer.order, (event) => 2 * txns[event >> 1] + (event & 1));
  return { status: 'satisfied', certificate: { kind: 'event-order', events } };
}

type Tick = (steps: number) => void;

/**
 * The plain polygraph of snapshot isolation (Viper, section 3.1, and session order): node 2i stands for the begin of
 * txns[i], 2i + 1 for its commit. It follows from the polygraph of serializability, where each edge states that a
 * transaction sees another one, or was not seen by it.
 */
function snapshotPolygraph({ history, index }: IndexedHistory, txns: Int32Array, tick: Tick): PolygraphInput {
  const versions = new SerialVersionBuilder(history, index).build({ txns, base: null });
  const { keyStart, node, readerStart, reader } = versions;
  const edges: number[] = [];
  const constraints: number[] = [];
  const begin = (n: number): number => 2 * n;
  const commit = (n: number): number => 2 * n + 1;
  for (let n = 0; n < txns.length; n++) {
    edges.push(begin(n), commit(n));
    if (n > 0 && history.txnSession[txns[n]] === history.txnSession[txns[n - 1]]) edges.push(commit(n - 1), begin(n));
  }
  const forReaders = (row: number, visit: (r: number) => void): void => {
    for (let i = readerStart[row]; i < readerStart[row + 1]; i++) visit(reader[i]);
  };
  for (let key = 0; key + 1 < keyStart.length; key++) {
    const end = keyStart[key + 1];
    for (let v = keyStart[key]; v < end; v++) {
      const writer = node[v];
      forReaders(v, (r) => edges.push(commit(writer), begin(r)));
      // The rows of initial states come after those of versions.
      forReaders(node.length + key, (r) => {
        if (r !== writer) edges.push(begin(r), commit(writer));
      });
      for (let u = keyStart[key]; u < end; u++) {
        if (u === v) continue;
        const other = node[u];
        if (v < u) constraints.push(commit(writer), begin(other), commit(other), begin(writer));
        forReaders(v, (r) => {
          if (r !== other) constraints.push(begin(r), commit(other), commit(other), begin(writer));
        });
      }
      tick(end - keyStart[key]);
    }
  }
  return {
    name: 'history',
    nodes: 2 * txns.length,
    edges: Int32Array.from(edges),
    constraints: Int32Array.from(constraints),
  };
}
