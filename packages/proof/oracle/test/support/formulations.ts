import { type Transaction, isMatch } from '../../src/facts/facts.ts';
import { type World, inRealTime, inSessionOrder, writeTo } from '../../src/facts/world.ts';

/** Second definitions of the levels, for unique values: the dependency graphs of the literature. */
export type Before = (a: Transaction, b: Transaction) => boolean;
type Relation = (a: number, b: number) => boolean;

/** An order of whole transactions along which a replayed store shows the version of every read. */
export function hasSerialReplay({ transactions, initial }: World, before: Before): boolean {
  return permutations(transactions).some((order) => {
    if (order.some((t, i) => order.slice(i + 1).some((later) => before(later, t)))) return false;
    return order.every((t, i) =>
      t.reads.every(({ key, seen }) => {
        const written = order.slice(0, i).flatMap((s) => writeTo(s, key)?.value ?? []);
        const last = written.at(-1) ?? initial[key];
        if (isMatch(seen)) return seen.accepts(last);
        return typeof seen === 'number' ? seen === last : seen.join() === written.join();
      }),
    );
  });
}

/** Every order of the writers of every key; the initial transaction is before them all. */
function* versionOrders({ transactions }: World): Generator<ReadonlyMap<number, readonly number[]>> {
  const keys = [...new Set(transactions.flatMap(({ writes }) => writes.map(({ key }) => key)))];
  const writers = keys.map((key) => transactions.flatMap((t, i) => (writeTo(t, key) ? [i] : [])));
  for (const choice of product(writers.map((w) => permutations(w)))) {
    yield new Map(keys.map((key, k) => [key, choice[k]!]));
  }
}

/** Dependencies of a history of unique values, for one version order; null where a read has no writer. */
function dependencies({ transactions, initial }: World, versions: ReadonlyMap<number, readonly number[]>) {
  const source = transactions.map((t, i) =>
    t.reads.map(({ key, seen }) => {
      if (seen === initial[key]) return -1;
      const writer = transactions.findIndex((s) => writeTo(s, key)?.value === seen);
      return writer === i || writer < 0 ? null : writer;
    }),
  );
  if (source.some((sources) => sources.includes(null))) return null;
  const place = (key: number, t: number): number => versions.get(key)?.indexOf(t) ?? -1;
  const so: Relation = (a, b) => inSessionOrder(transactions[a]!, transactions[b]!);
  const rt: Relation = (a, b) => inRealTime(transactions[a]!, transactions[b]!);
  const wr: Relation = (a, b) => source[b]!.includes(a);
  const ww: Relation = (a, b) =>
    a !== b && [...versions].some(([, order]) => order.includes(a) && order.indexOf(a) < order.indexOf(b));
  const rw: Relation = (a, b) =>
    a !== b &&
    transactions[a]!.reads.some(({ key }, r) => place(key, b) > (source[a]![r]! < 0 ? -1 : place(key, source[a]![r]!)));
  return { so, rt, wr, ww, rw };
}

type Dependencies = NonNullable<ReturnType<typeof dependencies>>;

const someVersionOrder =
  (allows: (d: Dependencies, n: number, world: World) => boolean) =>
  (world: World): boolean => {
    for (const versions of versionOrders(world)) {
      const found = dependencies(world, versions);
      if (found && allows(found, world.transactions.length, world)) return true;
    }
    return false;
  };

/** Some WW exists such that these relations have no cycle (C.1: serializability and PL-2). */
const acyclicUnion = (...names: readonly (keyof Dependencies)[]) =>
  someVersionOrder((d, n) => isAcyclic(n, (a, b) => names.some((name) => d[name](a, b))));

/** Some WW exists such that (relations) ; RW? has no cycle (C.1: snapshot isolation). */
const acyclicWithOneRw = (...names: readonly (keyof Dependencies)[]) =>
  someVersionOrder((d, n) => {
    const dep: Relation = (a, b) => names.some((name) => d[name](a, b));
    const all = Array.from({ length: n }, (_, i) => i);
    return isAcyclic(n, (a, b) => dep(a, b) || all.some((m) => dep(a, m) && d.rw(m, b)));
  });

/** Begins 2t and commits 2t + 1: the BC-polygraph of Viper (C.3.1), which decides Adya's snapshot isolation. */
const bcPolygraph = someVersionOrder((d, n) =>
  isAcyclic(2 * n, (e, f) => {
    const [a, b] = [e >> 1, f >> 1];
    if (a === b) return e < f;
    if (e & 1 && !(f & 1)) return d.wr(a, b) || d.ww(a, b);
    return !(e & 1) && (f & 1) === 1 && d.rw(a, b);
  }),
);

/** The saturation of dbcop (C.5.1): the edges that the axiom forces, with SO and WR, have no cycle. */
const saturated =
  (premise: (d: Dependencies, world: World, t2: number, t3: number, read: number) => boolean) =>
  (world: World): boolean => {
    const { transactions, initial } = world;
    const d = dependencies(world, new Map());
    if (!d) return false;
    const forced = new Set<string>();
    for (const [t3, { reads }] of transactions.entries()) {
      for (const [read, { key, seen }] of reads.entries()) {
        const t1 = seen === initial[key] ? -1 : transactions.findIndex((s) => writeTo(s, key)?.value === seen);
        for (const [t2, writer] of transactions.entries()) {
          if (t2 === t1 || t2 === t3 || !writeTo(writer, key) || !premise(d, world, t2, t3, read)) continue;
          if (t1 < 0) return false;
          forced.add(`${t2},${t1}`);
        }
      }
    }
    return isAcyclic(transactions.length, (a, b) => d.so(a, b) || d.wr(a, b) || forced.has(`${a},${b}`));
  };

const readEarlier =
  (otherKey: boolean) =>
  (_d: Dependencies, { transactions }: World, t2: number, t3: number, read: number): boolean =>
    transactions[t3]!.reads.slice(0, read).some(
      ({ key, seen }) =>
        writeTo(transactions[t2]!, key)?.value === seen && !(otherKey && key === transactions[t3]!.reads[read]!.key),
    );

export const SECOND_FORMULATIONS = {
  'read-committed-pl2': acyclicUnion('wr', 'ww'),
  'read-committed': saturated(readEarlier(true)),
  'read-committed-dbcop': saturated(readEarlier(false)),
  'read-atomic': saturated((d, _, t2, t3) => d.so(t2, t3) || d.wr(t2, t3)),
  causal: saturated((d, { transactions }, t2, t3) =>
    reaches(transactions.length, (a, b) => d.so(a, b) || d.wr(a, b), t2, t3),
  ),
  'snapshot-isolation': acyclicWithOneRw('so', 'wr', 'ww'),
  'adya-snapshot-isolation': bcPolygraph,
  'plain-serializable': acyclicUnion('wr', 'ww', 'rw'),
  serializable: acyclicUnion('so', 'wr', 'ww', 'rw'),
  'strict-serializable': acyclicUnion('so', 'rt', 'wr', 'ww', 'rw'),
} as const;

function reaches(n: number, edge: Relation, from: number, to: number): boolean {
  const seen = [from];
  for (const a of seen) for (let b = 0; b < n; b++) if (edge(a, b) && !seen.includes(b)) seen.push(b);
  return seen.slice(1).includes(to);
}

function isAcyclic(n: number, edge: Relation): boolean {
  const left = new Set(Array.from({ length: n }, (_, i) => i));
  for (;;) {
    const source = [...left].find((b) => [...left].every((a) => !edge(a, b)));
    if (source === undefined) return left.size === 0;
    left.delete(source);
  }
}

const permutations = <T>(items: readonly T[]): T[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item, i) => permutations([...items.slice(0, i), ...items.slice(i + 1)]).map((p) => [item, ...p]));

const product = <T>(choices: readonly (readonly T[])[]): T[][] =>
  choices.reduce<T[][]>((made, options) => made.flatMap((m) => options.map((o) => [...m, o])), [[]]);
