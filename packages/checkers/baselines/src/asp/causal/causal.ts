/**
 * CausalC+, the baseline of Plume's evaluation for transactional causal consistency, and CausalC, its predecessor for
 * transactions of one operation: the definition as a logic program without choices. Clingo derives all facts while it
 * grounds the program, so grounding is the entire cost.
 */
import type { IndexedHistory, RunContext } from '@isolab/contract';
import { EdgeColumns, topologicalOrder } from '@isolab/graph';
import { type SerialVersions, SerialVersionBuilder, baseRow } from '@isolab/polygraph';
import { type Limits, solve } from '../clingo/clingo.ts';
import type { Answer } from '../../baseline.ts';
import { Text } from '../../text.ts';

export type CausalEncoding = 'causal-c-plus' | 'causal-c';

/**
 * The publication defines only the meaning of the closures. Here each step extends a path by one edge, the cheaper of
 * the usual methods. Facts: so(X,Y), wr(Writer,Reader,Key), wtxn(Txn,Key), and wsv(X,Y) for two transactions that
 * write a common key.
 */
const CAUSAL_C_PLUS = `
cc(X,Y) :- so(X,Y).
cc(X,Y) :- wr(X,Y,_).
cc(X,Z) :- cc(X,Y), so(Y,Z).
cc(X,Z) :- cc(X,Y), wr(Y,Z,_).
co(X,Y) :- cc(X,Z), wr(Y,Z,K), wtxn(X,K), wsv(X,Y).
`;

/** Each transaction is a read or a write of one key, so facts about common keys are not needed. */
const CAUSAL_C = `
cc(X,Y) :- so(X,Y).
cc(X,Y) :- wr(X,Y,_).
cc(X,Z) :- cc(X,Y), so(Y,Z).
cc(X,Z) :- cc(X,Y), wr(Y,Z,_).
co(X,Y) :- wr(Y,Z,K), wtxn(X,K), X != Y, cc(X,Z).
`;

const CYCLES = `
tcc(X,Y) :- cc(X,Y).
tcc(X,Y) :- co(X,Y).
tcc(X,Z) :- tcc(X,Y), so(Y,Z).
tcc(X,Z) :- tcc(X,Y), wr(Y,Z,_).
tcc(X,Z) :- tcc(X,Y), co(Y,Z).
#show co/2.
#show bad(X) : tcc(X,X).
#show loop(X) : cc(X,X).
`;

export async function decideCausal(
  { history, index }: IndexedHistory,
  txns: Int32Array,
  encoding: CausalEncoding,
  limits: Limits,
  context: RunContext,
): Promise<Answer> {
  context.stage('encode');
  const versions = new SerialVersionBuilder(history, index).build({ txns, base: null });
  const text = new Text((steps) => context.tick(steps));
  const edges = addFacts(text, versions, encoding === 'causal-c-plus');
  context.count('facts', text.numLines);
  text.add(encoding === 'causal-c-plus' ? CAUSAL_C_PLUS : CAUSAL_C);
  text.add(CYCLES);
  const answer = await solve(text.toString(), limits, context);
  if (answer.status === 'unknown') return answer;
  if (answer.status === 'unsatisfiable')
    return { status: 'unknown', reason: 'crashed', detail: 'clingo found no model of a program without choice' };
  const initial = txns.length;
  const bad: number[] = [];
  let isCausalCycle = false;
  for (const atom of answer.atoms) {
    const [, name, x, y] = ATOM.exec(atom)!;
    if (name === 'co') edges.add(Number(x), Number(y));
    else if (name === 'loop') isCausalCycle = true;
    else if (Number(x) !== initial) bad.push(txns[Number(x)]);
  }
  if (bad.length > 0) {
    const name = isCausalCycle ? 'G1c' : 'causality-violation';
    return { status: 'unsatisfiable', anomaly: { name, transactions: bad.toSorted((a, b) => a - b) } };
  }
  const order = topologicalOrder(edges.digraph(initial + 1));
  if (order.length <= initial) throw new Error('The edges that clingo derived form a cycle.');
  return {
    status: 'satisfiable',
    certificate: () => ({
      kind: 'commit-order',
      order: Array.from(order).flatMap((n) => (n === initial ? [] : [txns[n]])),
    }),
  };
}

const ATOM = /^(\w+)\((\d+)(?:,(\d+))?\)$/;

/**
 * Adds the facts of a history; the initial transaction has the last number. Returns the edges of session order and
 * read-from.
 */
function addFacts(text: Text, versions: SerialVersions, isPlus: boolean): EdgeColumns {
  const { history, txnOf, keyStart, node, readerStart, reader } = versions;
  const initial = txnOf.length;
  const edges = new EdgeColumns(reader.length + 2 * initial);
  const before = (from: number, to: number): void => {
    edges.add(from, to);
    text.add(`so(${from},${to}).`);
  };
  // Suppresses clingo's warnings about predicates without facts.
  text.add('#defined so/2. #defined wr/3. #defined wtxn/2. #defined wsv/2.');
  for (let n = 0; n < initial; n++) {
    const hasPrevious = n > 0 && history.txnSession[txnOf[n]] === history.txnSession[txnOf[n - 1]];
    before(hasPrevious ? n - 1 : initial, n);
  }
  for (let key = 0; key + 1 < keyStart.length; key++) {
    const rows = [baseRow(versions, key)];
    for (let v = keyStart[key]; v < keyStart[key + 1]; v++) rows.push(v);
    const writerOf = (row: number): number => (row < node.length ? node[row] : initial);
    for (const row of rows) {
      text.add(`wtxn(${writerOf(row)},${key}).`);
      for (let i = readerStart[row]; i < readerStart[row + 1]; i++) {
        edges.add(writerOf(row), reader[i]);
        text.add(`wr(${writerOf(row)},${reader[i]},${key}).`);
      }
      if (!isPlus) continue;
      for (const other of rows) if (other !== row) text.add(`wsv(${writerOf(row)},${writerOf(other)}).`);
    }
  }
  return edges;
}
