export interface ArrivalOptions {
  readonly batch: number;
  /** Number of transactions per second. */
  readonly rate: number;
  /** Mean and standard deviation, in milliseconds, of the independent delay of each transaction. */
  readonly delay: number;
  readonly deviation: number;
  readonly seed: number;
}

/**
 * Arrival time of each transaction, in milliseconds: in batches, in the given order, each with an independent delay.
 */
export function arrivals(
  order: Int32Array,
  txnSession: Int32Array,
  { batch, rate, delay, deviation, seed }: ArrivalOptions,
): { readonly order: Int32Array; readonly at: Float64Array } {
  const at = new Float64Array(txnSession.length);
  const latest = new Map<number, number>(); // by session: sessions keep their order
  const normal = normals(seed);
  for (const [i, t] of order.entries()) {
    const sent = (Math.floor(i / batch) * batch * 1000) / rate;
    const comes = sent + Math.max(0, delay + deviation * normal());
    const session = txnSession[t];
    at[t] = Math.max(comes, latest.get(session) ?? 0);
    latest.set(session, at[t]);
  }
  return { order: order.toSorted((a, b) => at[a] - at[b]), at };
}

/** Normally distributed numbers, from the Box–Muller method and the generator mulberry32. */
function normals(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}
