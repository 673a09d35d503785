/** Snapshot isolation through events: transaction t begins at the integer bt and commits at ct (Viper, section 7.1). */
import type { History } from '@isolab/history';
import { type BeginCommitVersions, initialVersion } from '@isolab/polygraph';
import type { Text } from '../../text.ts';
import { Order, type PairOrder, sessionPairs } from './pairs.ts';

export interface Events {
  readonly history: History;
  readonly versions: BeginCommitVersions;
  readonly txns: Int32Array;
  /** Whether each transaction of a session begins after the previous transaction has committed. */
  readonly sessions: boolean;
}

const b = (txn: number): string => `b${txn}`;
const c = (txn: number): string => `c${txn}`;
const before = (first: string, second: string): string => `(< ${first} ${second})`;

export const eventName = (event: number): string => (event % 2 === 0 ? b(event >> 1) : c(event >> 1));

/** GSI+Z3: integers only. */
export function encodeGsi(text: Text, events: Events, pairOrder: PairOrder): void {
  const { history, versions, sessions } = events;
  const { writer, numWritten, readerStart, reader } = versions;
  declareEvents(text, events);
  if (sessions)
    for (const [first, second] of sessionPairs(history, versions.happened)) text.assert(before(c(first), b(second)));
  for (let v = 0; v < numWritten; v++) {
    for (let row = readerStart[v]; row < readerStart[v + 1]; row++) text.assert(before(c(writer[v]), b(reader[row])));
  }
  assertInitialReads(text, versions);
  forEachPair(versions, (v, u) => {
    const order = pairOrder(v, u);
    const [first, second] = [writer[v], writer[u]];
    if (order === Order.Open) text.assert(`(or ${before(c(first), b(second))} ${before(c(second), b(first))})`);
    else text.assert(order === Order.First ? before(c(first), b(second)) : before(c(second), b(first)));
    for (const [version, other, otherFirst] of [
      [v, u, Order.Second],
      [u, v, Order.First],
    ] as const) {
      if (order === otherFirst) continue;
      forEachReader(versions, version, other, (txn) => {
        const misses = before(b(txn), c(writer[other]));
        if (order === Order.Open) text.assert(`(or ${before(c(writer[other]), c(writer[version]))} ${misses})`);
        else text.assert(misses);
      });
    }
  });
}

/**
 * ASI+Z3: Adya's serialization graph, with a relation of read and write dependencies (rel0) and a relation of
 * anti-dependencies (rel1), such that no anti-dependency closes a cycle of dependencies; and the integers in addition.
 */
export function encodeAsi(text: Text, events: Events, pairOrder: PairOrder): void {
  const { history, versions, txns, sessions } = events;
  const { writer, numWritten, readerStart, reader } = versions;
  declareEvents(text, events);
  text.add('(declare-sort Txn)');
  for (const t of txns) text.add(`(declare-const t${t} Txn)`);
  if (txns.length > 1) text.assert(`(distinct ${Array.from(txns, (t) => `t${t}`).join(' ')})`);
  text.add('(declare-fun rel0 (Txn Txn) Bool)(declare-fun rel1 (Txn Txn) Bool)');
  const graph = new Relations(text);
  if (sessions)
    for (const [first, second] of sessionPairs(history, versions.happened)) graph.depends(first, second, 'true');
  for (let v = 0; v < numWritten; v++)
    for (let row = readerStart[v]; row < readerStart[v + 1]; row++) graph.depends(writer[v], reader[row], 'true');
  forEachInitialRead(versions, (txn, later) => graph.misses(txn, later, 'true'));
  let pairs = 0;
  forEachPair(versions, (v, u) => {
    const name = `w${pairs++}`;
    const order = pairOrder(v, u);
    const [ifFirst, ifSecond] =
      order === Order.Open ? [name, `(not ${name})`] : order === Order.First ? ['true', 'false'] : ['false', 'true'];
    if (order === Order.Open) text.add(`(declare-const ${name} Bool)`);
    graph.depends(writer[v], writer[u], ifFirst);
    graph.depends(writer[u], writer[v], ifSecond);
    forEachReader(versions, v, u, (txn) => graph.misses(txn, writer[u], ifFirst));
    forEachReader(versions, u, v, (txn) => graph.misses(txn, writer[v], ifSecond));
  });
}

class Relations {
  readonly #text: Text;
  // Pairs whose place in the graph is already constrained.
  readonly #ruled0 = new Set<string>();
  readonly #ruled1 = new Set<string>();

  constructor(text: Text) {
    this.#text = text;
  }

  /** Adds a read or write dependency, if the condition holds; it closes no cycle of such dependencies. */
  depends(from: number, to: number, condition: string): void {
    if (condition === 'false') return;
    const text = this.#text;
    const pair = `t${from} t${to}`;
    text.assert(`(=> ${condition} (and (rel0 ${pair}) ${before(c(from), b(to))}))`);
    if (this.#ruled0.has(pair)) return;
    this.#ruled0.add(pair);
    text.assert(`(=> (rel0 ${pair}) (not ((_ transitive-closure rel0) t${to} t${from})))`);
  }

  /** Adds an anti-dependency, if the condition holds; it closes no cycle of dependencies. */
  misses(from: number, to: number, condition: string): void {
    if (condition === 'false') return;
    const text = this.#text;
    const pair = `t${from} t${to}`;
    text.assert(`(=> ${condition} (and (rel1 ${pair}) ${before(b(from), c(to))}))`);
    if (this.#ruled1.has(pair)) return;
    this.#ruled1.add(pair);
    text.assert(`(not (and (rel1 ${pair}) ((_ transitive-closure rel0) t${to} t${from})))`);
  }
}

function declareEvents(text: Text, { txns }: Events): void {
  for (const t of txns) {
    text.add(`(declare-const ${b(t)} Int)(declare-const ${c(t)} Int)`);
    text.assert(before(b(t), c(t)));
  }
  if (txns.length > 0) text.assert(`(distinct ${Array.from(txns, (t) => `${b(t)} ${c(t)}`).join(' ')})`);
}

function assertInitialReads(text: Text, versions: BeginCommitVersions): void {
  forEachInitialRead(versions, (txn, later) => text.assert(before(b(txn), c(later))));
}

/** Visits readers of initial states, with every other writer of the key. */
function forEachInitialRead(versions: BeginCommitVersions, visit: (txn: number, later: number) => void): void {
  const { numKeys, keyStart, writer, readerStart, reader } = versions;
  for (let key = 0; key < numKeys; key++) {
    const initial = initialVersion(versions, key);
    for (let row = readerStart[initial]; row < readerStart[initial + 1]; row++)
      for (let v = keyStart[key]; v < keyStart[key + 1]; v++)
        if (writer[v] !== reader[row]) visit(reader[row], writer[v]);
  }
}

function forEachPair({ numKeys, keyStart }: BeginCommitVersions, visit: (v: number, u: number) => void): void {
  for (let key = 0; key < numKeys; key++)
    for (let v = keyStart[key]; v < keyStart[key + 1]; v++) for (let u = v + 1; u < keyStart[key + 1]; u++) visit(v, u);
}

/** Visits readers of a version, except the writer of another version. */
function forEachReader(
  { readerStart, reader, writer }: BeginCommitVersions,
  version: number,
  other: number,
  visit: (txn: number) => void,
): void {
  for (let row = readerStart[version]; row < readerStart[version + 1]; row++)
    if (reader[row] !== writer[other]) visit(reader[row]);
}
