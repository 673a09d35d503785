import type { CheckInput } from '@isolab/contract';
import type { PolygraphInput } from '@isolab/history';
import {
  type Constraints,
  SerialVersionBuilder,
  chainsOf,
  serialConstraints,
  serialKnownEdges,
} from '@isolab/polygraph';

/** The plain polygraph of serializability: no writes combined, two edges a constraint. Node i stands for txns[i]. */
export function polygraphOfHistory(
  { history, index }: CheckInput,
  txns: Int32Array,
  sessions: boolean,
  tick: (steps: number) => void,
): PolygraphInput {
  const versions = new SerialVersionBuilder(history, index).build({ txns, base: null });
  const chains = chainsOf(versions, false);
  const options = { sessions, coalesce: false, tick };
  const known = serialKnownEdges(versions, chains, false, options).ends;
  const edges = new Int32Array(2 * known.count);
  for (let e = 0; e < known.count; e++) {
    edges[2 * e] = known.from[e];
    edges[2 * e + 1] = known.to[e];
  }
  const constraints = inFours(serialConstraints(versions, chains, options));
  return { name: 'history', nodes: txns.length, edges, constraints };
}

/** Without coalescing every side is one edge. */
function inFours({ count, from, to }: Constraints): Int32Array {
  const fours = new Int32Array(4 * count);
  for (let side = 0; side < 2 * count; side++) {
    fours[2 * side] = from.items[side];
    fours[2 * side + 1] = to.items[side];
  }
  return fours;
}
