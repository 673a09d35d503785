export interface ArrivalOptions {
  readonly batch: number;
  /** Transactions in a second. */
  readonly rate: number;
  /** Mean and standard deviation, in milliseconds, of a delay that each transaction has for itself. */
  readonly delay: number;
  readonly deviation: number;
  readonly seed: number;
}

/** When each transaction comes, in milliseconds: in batches, in the order given, each with a delay of its own. */
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

/** Numbers of the normal distribution, by Box and Muller, from the generator mulberry32. */
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
