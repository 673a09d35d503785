import { OpKind, countKeys, countOperations } from '@isolab/history';
import { INITIAL, NO_SOURCE } from '@isolab/graph/relations';
import { type Model, NO_NODE } from './model.ts';
import { returnOf, timeLine } from './real-time.ts';
import { Inference, VersionBuilder, type InferredVersions } from './versions.ts';

/** Assumptions about single registers, besides the assumption that initial states come first. */
export interface Assumptions {
  /** A transaction that reads a key and writes it writes a later version than it read. */
  readonly wfrKeys: boolean;
  /** A session never returns from a version of a key to an earlier version. */
  readonly sequentialKeys: boolean;
  /** A transaction that is called after another returned never sees or writes an earlier version. */
  readonly linearizableKeys: boolean;
}

/**
 * Rw-register (Elle, section 5.2.3): the part of the version orders that follows from the reads and the assumptions.
 */
export function versionsOfRegisters(model: Model, assumptions: Assumptions): InferredVersions {
  const { history } = model;
  const { node, key, last, rowOf } = model.relations.writes;
  const numKeys = countKeys(history);
  const builder = new VersionBuilder(numKeys, key.length, countOperations(history));
  for (let row = 0; row < key.length; row++) builder.addVersion(key[row], node[row], last[row]);
  const versionOf = rowOf.map((row) => (row < 0 ? -1 : numKeys + row)); // by operation, for every write
  placeReads(builder, model, versionOf);
  if (assumptions.wfrKeys) writesFollowReads(builder, model, versionOf);
  if (assumptions.sequentialKeys) followSessions(builder, model, versionOf);
  if (assumptions.linearizableKeys) followRealTime(builder, model, versionOf);
  return builder.finish(model.numNodes);
}

function placeReads(
  { versionRead }: VersionBuilder,
  { history, index, relations }: Model,
  versionOf: Int32Array,
): void {
  const { source } = relations;
  for (let op = 0; op < source.length; op++) {
    if (source[op] === NO_SOURCE) continue;
    versionRead[op] = source[op] === INITIAL ? history.opKey[op] : versionOf[index.readFrom[op]];
  }
}

function writesFollowReads(builder: VersionBuilder, { history, txnOf }: Model, versionOf: Int32Array): void {
  const { txnStart, opKind, opKey } = history;
  const { versionRead, writer } = builder;
  const written = new Int32Array(countKeys(history)).fill(-1);
  for (let node = 0; node < txnOf.length; node++) {
    const first = txnStart[txnOf[node]];
    const end = txnStart[txnOf[node] + 1];
    for (let op = first; op < end; op++) if (opKind[op] === OpKind.Write) written[opKey[op]] = versionOf[op];
    let previous = -1;
    for (let op = first; op < end; op++) {
      const from = versionRead[op];
      const to = from < 0 ? -1 : written[opKey[op]];
      // Initial states come first anyway.
      if (to < 0 || writer[to] !== node || writer[from] === NO_NODE || from === previous) continue;
      previous = from;
      builder.addEdge(from, to, Inference.WritesFollowReads);
    }
  }
}

/** Versions of a key that a transaction saw or left: the first it touched, and the last. */
class Touches {
  readonly node: Int32Array; // by key: the last visited node that touches it
  readonly first: Int32Array;
  readonly last: Int32Array;
  readonly keys: number[] = []; // the keys that the current node touches
  readonly #model: Model;
  readonly #versionOf: Int32Array;
  readonly #versionRead: Int32Array;

  constructor(model: Model, versionRead: Int32Array, versionOf: Int32Array) {
    const numKeys = countKeys(model.history);
    this.#model = model;
    this.#versionRead = versionRead;
    this.#versionOf = versionOf;
    this.node = new Int32Array(numKeys).fill(-1);
    this.first = new Int32Array(numKeys);
    this.last = new Int32Array(numKeys);
  }

  /**
   * Calls `follow` for each key of a node, with the first version that the node touches, before this version is
   * recorded.
   */
  visit(node: number): void {
    const { history, txnOf } = this.#model;
    this.keys.length = 0;
    for (let op = history.txnStart[txnOf[node]], end = history.txnStart[txnOf[node] + 1]; op < end; op++) {
      const version = this.#versionRead[op] >= 0 ? this.#versionRead[op] : this.#versionOf[op];
      if (version < 0) continue;
      const key = history.opKey[op];
      if (this.node[key] !== node) {
        this.keys.push(key);
        this.node[key] = node;
        this.first[key] = version;
      }
      this.last[key] = version;
    }
  }
}

function followSessions(builder: VersionBuilder, model: Model, versionOf: Int32Array): void {
  const { history, numNodes, txnOf } = model;
  const touches = new Touches(model, builder.versionRead, versionOf);
  const latest = new Int32Array(countKeys(history)).fill(-1); // by key: the previous node, and the version that it saw or left
  const left = new Int32Array(latest.length);
  for (let node = 0; node < numNodes; node++) {
    touches.visit(node);
    for (const key of touches.keys) {
      const before = latest[key];
      const inSession = before >= 0 && history.txnSession[txnOf[before]] === history.txnSession[txnOf[node]];
      if (inSession) addOrder(builder, left[key], touches.first[key], Inference.Session, before, node);
      latest[key] = node;
      left[key] = touches.last[key];
    }
  }
}

/** Follows the time line per key: a transaction follows the latest transactions that returned before its call. */
function followRealTime(builder: VersionBuilder, model: Model, versionOf: Int32Array): void {
  const touches = new Touches(model, builder.versionRead, versionOf);
  const returned = new Map<number, Seen[]>(); // by key: the returned transactions that still matter
  const open = new Map<number, (Seen & { readonly key: number; readonly before: readonly Seen[] })[]>();
  for (const event of timeLine(model)) {
    const node = event >> 1;
    if ((event & 1) === 0) {
      touches.visit(node);
      const touched = touches.keys.map((key) => {
        const before = returned.get(key) ?? [];
        for (const one of before) addOrder(builder, one.last, touches.first[key], Inference.RealTime, one.node, node);
        return { key, node, last: touches.last[key], before };
      });
      if (returnOf(model, node) !== null) open.set(node, touched);
    } else {
      for (const { key, last, before } of open.get(node) ?? []) {
        const still = (returned.get(key) ?? []).filter((one) => !before.includes(one));
        returned.set(key, [...still, { node, last }]);
      }
      open.delete(node);
    }
  }
}

interface Seen {
  readonly node: number;
  readonly last: number;
}

/** Leaves out edges that immediately close a cycle: a version before an initial state, or a read of a later write. */
function addOrder(builder: VersionBuilder, a: number, b: number, why: number, earlier: number, later: number): void {
  const { writer } = builder;
  if (a === b || writer[a] === NO_NODE || writer[b] === NO_NODE || writer[a] === later || writer[b] === earlier) return;
  builder.addPair(a, b, why, earlier, later);
}
