import { type IndexedHistory, type LevelName, type RunContext, polygraphVerdict } from '@isolab/contract';
import { happenedTransactions } from '@isolab/history';
import { registerVersions } from '@isolab/polygraph';
import { type Answer, decideSerial, defineBaseline, withoutOrder } from '../baseline.ts';
import { type EventEncoding, decideEvents } from './events/decide-events.ts';
import { type PolygraphEncoding, POLYGRAPH_ENCODINGS, decidePolygraph } from './polygraph/decide-polygraph.ts';
import type { Limits } from './z3/solve.ts';

const SNAPSHOT = ['adya-snapshot-isolation', 'snapshot-isolation'] as const satisfies readonly LevelName[];
const SERIAL = ['plain-serializable', 'serializable'] as const satisfies readonly LevelName[];

const forSnapshots = (help: string) => ({ levels: SNAPSHOT, help: `snapshot levels: ${help}` });
const forSerial = (help: string) => ({ levels: SERIAL, help: `serializable: ${help}` });

/**
 * The definition of each level for Z3. Viper (EuroSys 2023, section 7.1) and CobraSAT are compared with these
 * definitions.
 */
export const baselinesSmt = defineBaseline({
  name: 'baselines-smt',
  title: 'Baselines on Z3',
  paper: {
    title: 'Viper: A Fast Snapshot Isolation Checker',
    authors: 'Jian Zhang, Ye Ji, Shuai Mu, Cheng Tan',
    venue: 'EuroSys',
    year: 2023,
  },
  levels: [...SNAPSHOT, ...SERIAL],
  encodings: {
    'gsi-z3': forSnapshots('begins and commits are integers (GSI+Z3 in Viper).'),
    'gsi-z3-opt': forSnapshots('the same after heuristic pruning (Z3-GSI-OPT).'),
    'asi-z3': forSnapshots('Adya’s graph as relations, and integers (ASI+Z3 in Viper).'),
    'asi-z3-opt': forSnapshots('the same after heuristic pruning (Z3-ASI-OPT).'),
    'linear-order': forSerial('Z3’s theory of linear orders.'),
    'topo-bv': forSerial('nodes are numbered by bit vectors (CobraSAT).'),
    'topo-int': forSerial('nodes are numbered by integers (CobraSAT; Cobra’s Z3 baseline).'),
    'tree-bv': forSerial('tree reduction, with bit vectors (CobraSAT).'),
    tc: forSerial('Z3’s transitive closure of a relation (CobraSAT).'),
  },
  help: 'Select the encoding for Z3; auto: the fastest for the level (gsi-z3, linear-order).',
  polygraphs: POLYGRAPH_ENCODINGS,
  options: { solveSeconds: { default: 0, help: 'Give up each call of Z3 after this many seconds; 0: never.' } },
  decidePolygraph: async (polygraph, encoding, limits, context) =>
    polygraphVerdict(await decidePolygraph(polygraph, encoding, limits, context)),
  decideHistory: (input, level, encoding, limits, context) =>
    isOfPolygraphs(encoding)
      ? decideSerial(input, level, (polygraph) => decidePolygraph(polygraph, encoding, limits, context), context)
      : decideSnapshot(input, level, encoding, limits, context),
});

const isOfPolygraphs = (encoding: EventEncoding | PolygraphEncoding): encoding is PolygraphEncoding =>
  (POLYGRAPH_ENCODINGS as readonly string[]).includes(encoding);

async function decideSnapshot(
  { history, index }: IndexedHistory,
  level: LevelName,
  encoding: EventEncoding,
  limits: Limits,
  context: RunContext,
): Promise<Answer> {
  const versions = registerVersions(history, index, { combine: false });
  const txns = happenedTransactions(index.outcome);
  const sessions = level === 'snapshot-isolation';
  const answer = await decideEvents({ history, versions, txns, sessions }, encoding, limits, context);
  if (answer.status === 'unknown') return answer;
  if (answer.status === 'unsatisfiable') return withoutOrder('G-nonadjacent', txns);
  return { status: 'satisfiable', certificate: () => ({ kind: 'event-order', events: answer.events }) };
}
