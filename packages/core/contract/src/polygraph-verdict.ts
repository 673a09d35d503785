import type { CheckerReason, CheckerVerdict, UnknownVerdict } from './contract.ts';

export type PolygraphAnswer =
  /** The nodes in an order in which all known edges, and one edge of each constraint, lead forward. */
  | { readonly status: 'satisfiable'; readonly order: Int32Array }
  | { readonly status: 'unsatisfiable' }
  | UnknownVerdict<CheckerReason>;

/** Returns the verdict on a polygraph from a file, without a known history. */
export function polygraphVerdict(answer: PolygraphAnswer, transactions: readonly number[] = [0]): CheckerVerdict {
  if (answer.status === 'unknown') return answer;
  if (answer.status === 'satisfiable')
    return { status: 'satisfied', certificate: { kind: 'commit-order', order: Array.from(answer.order) } };
  return { status: 'violated', anomalies: [{ name: 'cyclic-polygraph', transactions }], uncertified: 'polygraph' };
}
