import { type AnomalyName, type Edge, type FoundAnomaly, INITIAL_TXN, type ReadsCertificate } from '@isolab/contract';
import { INITIAL } from '@isolab/graph/relations';
import type { Dependencies } from '../dependencies/dependencies.ts';
import type { SearchLevel, Steps } from './steps.ts';

/** Typical anomaly of a causally consistent history that violates a level. */
const TYPICAL: Readonly<Record<SearchLevel, AnomalyName>> = {
  prefix: 'G-nonadjacent',
  'snapshot-isolation': 'G-nonadjacent',
  serializable: 'G2-item',
};

/**
 * Anomaly to report when no order was found. The absence of an order has no short proof, with one exception: if two
 * transactions overwrite a version that both have read, they are the anomaly, with a proof. Otherwise the anomaly is
 * the level's typical one. Its transactions (`next`) are those that could extend the longest prefix found, none of
 * which does.
 */
export function anomalyOfSearch(
  deps: Dependencies,
  steps: Steps,
  next: readonly number[],
  certify: boolean,
): FoundAnomaly {
  const lost = steps.level === 'prefix' ? null : lostUpdate(deps, steps);
  if (!lost) return { name: TYPICAL[steps.level], transactions: next.map((node) => deps.txnOf[node]) };
  return {
    name: 'lost-update',
    transactions: [deps.txnOf[lost.first.node], deps.txnOf[lost.second.node]],
    ...(certify && { certificate: proofOf(deps, lost, steps.level) }),
  };
}

interface Update {
  readonly node: number;
  readonly read: number;
  readonly write: number;
}

interface LostUpdate {
  readonly key: number;
  readonly source: number;
  readonly first: Update;
  readonly second: Update;
}

/** Two nodes that read the same version of a key and write the key. */
function lostUpdate(deps: Dependencies, { versions }: Steps): LostUpdate | null {
  const { numKeys, keyOf, written, read } = versions;
  const updated = new Int32Array(keyOf.length).fill(-1); // by version: a node that reads it and writes its key
  const writes = new Int32Array(numKeys).fill(-1); // by key: version that the current node leaves there
  for (let node = 0; node < deps.numNodes; node++) {
    for (let i = written.start[node]; i < written.start[node + 1]; i++)
      writes[keyOf[written.item[i]]] = written.item[i];
    for (let i = read.start[node]; i < read.start[node + 1]; i++) {
      const version = read.item[i];
      const w = writes[keyOf[version]];
      if (w < 0 || deps.writer[w] !== node) continue;
      if (updated[version] < 0) updated[version] = w;
      else return describe(deps, keyOf[version], version, updated[version], w);
    }
  }
  return null;
}

function describe(deps: Dependencies, key: number, version: number, first: number, second: number): LostUpdate {
  const source = version < deps.writer.length ? deps.writer[version] : INITIAL;
  return { key, source, first: updateBy(deps, key, first, source), second: updateBy(deps, key, second, source) };
}

function updateBy(deps: Dependencies, key: number, w: number, source: number): Update {
  const { readStart, readKey, readOp } = deps;
  const node = deps.writer[w];
  let read = readStart[node];
  while (readKey[read] !== key || deps.source[read] !== source) read++;
  return { node, read: readOp[read], write: deps.lastWrite[w] };
}

/**
 * Two transactions that each read a version that the other overwrites; at snapshot isolation, this requires a key that
 * both write.
 */
function proofOf({ txnOf, keyOf }: Dependencies, lost: LostUpdate, level: SearchLevel): ReadsCertificate {
  const { first, second } = lost;
  const source = lost.source === INITIAL ? INITIAL_TXN : txnOf[lost.source];
  const misses = (reader: Update, other: Update): Edge => ({
    from: txnOf[reader.node],
    to: txnOf[other.node],
    reason: { kind: 'overwrites', read: reader.read, write: other.write, order: [sees(other)] },
  });
  const sees = ({ node, read }: Update): Edge => ({
    from: source,
    to: txnOf[node],
    reason: source === INITIAL_TXN ? { kind: 'initial' } : { kind: 'read-from', read },
  });
  if (level === 'serializable') return { kind: 'cycle', edges: [misses(first, second), misses(second, first)] };
  const inCase = (before: Update, after: Update): ReadsCertificate => ({
    kind: 'cycle',
    edges: [{ from: txnOf[before.node], to: txnOf[after.node], reason: { kind: 'assumed' } }, misses(after, before)],
  });
  return {
    kind: 'cases',
    first: txnOf[first.node],
    second: txnOf[second.node],
    key: keyOf[lost.key],
    ifFirst: inCase(first, second),
    ifSecond: inCase(second, first),
  };
}
