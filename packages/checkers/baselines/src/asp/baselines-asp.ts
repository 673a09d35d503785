import { type IndexedHistory, type RunContext, polygraphVerdict } from '@isolab/contract';
import { type PolygraphInput, happenedTransactions } from '@isolab/history';
import { SerialVersionBuilder } from '@isolab/polygraph';
import { type Answer, decideSerial, defineBaseline, withoutOrder } from '../baseline.ts';
import { decidePolygraph } from './acyclic/decide-polygraph.ts';
import { decideCausal } from './causal/causal.ts';
import type { Limits } from './clingo/clingo.ts';

/** Levels as answer set programs for clingo: CausalC+ (a baseline of Plume) and SAT modulo acyclicity. */
export const baselinesAsp = defineBaseline({
  name: 'baselines-asp',
  title: 'Baselines on clingo',
  paper: {
    title: 'Plume: Efficient and Complete Black-Box Checking of Weak Isolation Levels',
    authors: 'Si Liu, Long Gu, Hengfeng Wei, David Basin',
    venue: 'OOPSLA',
    year: 2024,
  },
  levels: ['causal', 'snapshot-isolation', 'serializable'],
  encodings: {
    'causal-c-plus': { levels: ['causal'], help: 'causal: CausalC+, the baseline of Plume.' },
    'causal-c': {
      levels: ['causal'],
      help: 'causal: CausalC, for transactions of one operation.',
      takes: 'single-operations',
    },
    'acyclic-si': {
      levels: ['snapshot-isolation'],
      help: 'snapshot-isolation: the begin/commit polygraph, with #edge.',
    },
    'acyclic-ser': { levels: ['serializable'], help: 'serializable: the polygraph, with #edge.' },
  },
  help: 'Select the encoding for clingo; auto: causal-c-plus, acyclic-si or acyclic-ser, as the level needs.',
  polygraphs: ['acyclic-ser'],
  options: { solveLimit: { default: 0, help: 'Give up after this many conflicts of clingo; 0: never.' } },
  decidePolygraph: async (polygraph, _, limits, context) =>
    polygraphVerdict(await decidePolygraph(polygraph, limits, context)),
  decideHistory(input, level, encoding, limits, context) {
    if (encoding === 'acyclic-ser')
      return decideSerial(input, level, (polygraph) => decidePolygraph(polygraph, limits, context), context);
    const txns = happenedTransactions(input.index.outcome);
    return encoding === 'acyclic-si'
      ? decideSnapshot(input, txns, limits, context)
      : decideCausal(input, txns, encoding, limits, context);
  },
});

async function decideSnapshot(
  input: IndexedHistory,
  txns: Int32Array,
  limits: Limits,
  context: RunContext,
): Promise<Answer> {
  const answer = await decidePolygraph(snapshotPolygraph(input, txns, context), limits, context);
  if (answer.status === 'unknown') return answer;
  if (answer.status === 'unsatisfiable') return withoutOrder('G-nonadjacent', txns);
  const events = Array.from(answer.order, (event) => 2 * txns[event >> 1] + (event & 1));
  return { status: 'satisfiable', certificate: () => ({ kind: 'event-order', events }) };
}

/**
 * The plain polygraph of snapshot isolation (Viper, section 3.1, plus session order): node 2i is the begin of txns[i],
 * 2i + 1 its commit. It follows from the polygraph of serializability, where each edge states that a transaction saw
 * another transaction, or was not seen by it.
 */
function snapshotPolygraph({ history, index }: IndexedHistory, txns: Int32Array, context: RunContext): PolygraphInput {
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
      // Rows of initial states follow the rows of versions.
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
      context.tick(end - keyStart[key]);
    }
  }
  return {
    name: 'history',
    nodes: 2 * txns.length,
    edges: Int32Array.from(edges),
    constraints: Int32Array.from(constraints),
  };
}
