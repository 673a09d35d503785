// @ts-check
/**
 * Read committed, directly from its definition. If a transaction reads from a transaction T, and in a later statement
 * another key that T also writes from a third transaction, then the third transaction comes after T. A history satisfies the level if
 * these edges, session order and read-from form no cycle.
 *
 * Replace it by your own checker, level by level, and test it after each step: `isolab test ./my-checker.mjs`.
 */
import {
  OpKind,
  Outcome,
  ReadFrom,
  Stop,
  defineChecker,
  internalViolations,
  isEarlierStatement,
  transactionOf,
} from 'isolab/plugin';

/** @import { Edge, IndexedHistory, RunContext } from 'isolab/plugin' */

export default defineChecker({
  info: {
    name: 'my-checker',
    title: 'Read committed, the obvious way',
    version: '0.1.0',
    apiVersion: 1,
    paper: null,
    levels: ['read-committed'],
    sound: true,
    complete: true,
    // The host refuses other histories before it calls the checker; `requiresAt` states further requirements of some levels.
    requires: ['unique-values', 'no-unknown', 'registers'],
    options: {
      maxTransactions: { default: 100_000, help: 'give up on longer histories; 0: never' },
    },
    variants: {},
  },

  check(input, level, { maxTransactions }, context) {
    const size = input.index.outcome.length;
    if (maxTransactions > 0 && size > maxTransactions)
      throw new Stop('incomplete', `${size} transactions are more than maxTransactions, ${maxTransactions}`);
    const anomalies = internalViolations(input, level, context);
    if (anomalies.length > 0) return { status: 'violated', anomalies };

    context.stage('construct');
    const edges = edgesOf(input, context);
    context.count('edges', edges.length);

    context.stage('traverse');
    const { order, cycle } = sort(input, edges);
    if (cycle === null) return { status: 'satisfied', certificate: { kind: 'commit-order', order } };
    const name = cycle.some(({ reason }) => reason.kind === 'overwritten') ? 'non-monotonic-read' : 'G1c';
    const transactions = cycle.map(({ from }) => from);
    return {
      status: 'violated',
      anomalies: [{ name, transactions, certificate: { kind: 'cycle', edges: cycle } }],
    };
  },
});

/** The initial transaction, which wrote every key's initial state before all others. */
const INITIAL = -1;

/**
 * Returns the edges: pairs of transactions whose order is required, with the reason.
 *
 * @param {IndexedHistory} input
 * @param {RunContext} context
 */
function edgesOf({ history, index }, context) {
  const { txnStart, txnSession, opKind, opKey } = history;
  /** @type {Edge[]} */
  const edges = [];
  const lastWrites = writesOf({ history, index });
  let before = INITIAL; // the previous transaction of the session
  for (let t = 0; t < index.outcome.length; t++) {
    context.tick(1);
    if (index.outcome[t] !== Outcome.Happened) continue;
    if (before === INITIAL || txnSession[before] !== txnSession[t])
      edges.push({ from: INITIAL, to: t, reason: { kind: 'initial' } });
    else edges.push({ from: before, to: t, reason: { kind: 'session' } });
    before = t;

    /** @type {Edge[]} */
    const seen = []; // the reads so far of t from other transactions
    for (let read = txnStart[t]; read < txnStart[t + 1]; read++) {
      if (opKind[read] !== OpKind.Read) continue;
      const from = index.readFrom[read];
      if (from < 0 && from !== ReadFrom.Initial) continue; // the read never returned
      const writer = from === ReadFrom.Initial ? INITIAL : transactionOf(history, from);
      if (writer === t) continue;
      for (const visible of seen) {
        const write = lastWrites.get(visible.from)?.get(opKey[read]);
        if (write === undefined || visible.from === writer || visible.reason.kind !== 'read-from') continue;
        const earlier = visible.reason.read;
        if (opKey[earlier] === opKey[read] || !isEarlierStatement(history, earlier, read)) continue;
        edges.push({
          from: visible.from,
          to: writer,
          reason: { kind: 'overwritten', write, read, visible: [visible] },
        });
      }
      if (writer === INITIAL) continue;
      /** @type {Edge} */
      const edge = { from: writer, to: t, reason: { kind: 'read-from', read } };
      edges.push(edge);
      seen.push(edge);
    }
  }
  return edges;
}

/**
 * For each transaction that happened, its last write of each key.
 *
 * @param {Pick<IndexedHistory, 'history' | 'index'>} input
 */
function writesOf({ history: { txnStart, opKind, opKey }, index }) {
  /** @type {Map<number, Map<number, number>>} */
  const writes = new Map();
  for (let t = 0; t < index.outcome.length; t++) {
    if (index.outcome[t] !== Outcome.Happened) continue;
    /** @type {Map<number, number>} */
    const own = new Map();
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (opKind[op] === OpKind.Write) own.set(opKey[op], op);
    writes.set(t, own);
  }
  return writes;
}

/**
 * An order in which every edge points forward (Kahn 1962), or a cycle.
 *
 * @param {IndexedHistory} input
 * @param {readonly Edge[]} edges
 */
function sort({ index }, edges) {
  /** @type {Edge[][]} */
  const leaving = Array.from({ length: index.outcome.length + 1 }, () => []); // by transaction + 1
  const arriving = new Int32Array(leaving.length); // number of edges from transactions without a place
  for (const edge of edges) {
    leaving[edge.from + 1].push(edge);
    arriving[edge.to + 1]++;
  }
  const ready = [INITIAL].filter((t) => arriving[t + 1] === 0);
  const order = [];
  for (let t = ready.pop(); t !== undefined; t = ready.pop()) {
    if (t !== INITIAL) order.push(t);
    for (const { to } of leaving[t + 1]) if (--arriving[to + 1] === 0) ready.push(to);
  }
  // A transaction without a place lies on a cycle or after one.
  const left = edges.filter(({ from, to }) => arriving[from + 1] > 0 && arriving[to + 1] > 0);
  return { order, cycle: left.length === 0 ? null : cycleOf(left) };
}

/**
 * A cycle among edges, if every transaction has an incoming edge: walks backwards until a transaction repeats.
 *
 * @param {readonly Edge[]} edges
 */
function cycleOf(edges) {
  const into = new Map(edges.map((edge) => [edge.to, edge]));
  /** @type {Edge[]} */
  const walked = [];
  const at = new Map(); // number of edges walked before each transaction
  for (let t = edges[0].to; ; t = walked[walked.length - 1].from) {
    const begin = at.get(t);
    if (begin !== undefined) return walked.slice(begin).toReversed();
    at.set(t, walked.length);
    walked.push(/** @type {Edge} */ (into.get(t)));
  }
}
