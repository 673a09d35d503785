/**
 * All schedules of some instances of templates, with the definitions of multiversion schedules (Vandevoort, Ketsman and
 * Neven, PODS 2023) written down without code of the criterion.
 */
import type { Allocation, Template } from '../../src/robust.ts';

interface Step {
  readonly row: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

interface Instance {
  readonly level: string;
  readonly steps: readonly Step[];
}

/** Returns whether the allocation allows a schedule of at most `most` instances on some keys that is not serializable. */
export function isViolated(
  templates: readonly Template[],
  allocation: Allocation,
  most: number,
  keys: readonly number[],
): boolean {
  const all = templates.flatMap((template) => instancesOf(template, allocation.get(template.program)!, keys));
  const some = (count: number, from: number): Instance[][] =>
    count === 0 ? [[]] : all.slice(from).flatMap((one, i) => some(count - 1, from + i).map((rest) => [one, ...rest]));
  const orders = new Map<string, readonly Places[]>();
  for (let count = 2; count <= most; count++)
    for (const instances of some(count, 0)) {
      const schedules = new Schedules(instances);
      if (!schedules.mayViolate) continue;
      const lengths = instances.map(({ steps }) => steps.length + 1);
      const known = orders.get(lengths.join()) ?? Array.from(interleavings(lengths), (order) => placesIn(order, count));
      orders.set(lengths.join(), known);
      if (known.some((places) => schedules.isViolation(places))) return true;
    }
  return false;
}

/**
 * Returns whether the allocation allows a schedule that is not serializable, of at most `most` instances: the others run
 * one after the other between two steps of the first one. Each of them conflicts with the one before, and none repeats,
 * because a shorter path of conflicts would do. The first one has the first keys.
 */
export function isSplit(templates: readonly Template[], allocation: Allocation, most: number): boolean {
  const instances = (each: Template): Instance[] => instancesOf(each, allocation.get(each.program)!, [1, 2, 3]);
  const all = templates.flatMap(instances);
  const extend = (path: readonly Instance[]): boolean =>
    isSplitBy(path) ||
    (path.length < most &&
      all.some((next) => !path.includes(next, 1) && areInConflict(path.at(-1)!, next) && extend([...path, next])));
  return templates.some((first) => extend(instances(first).slice(0, 1)));
}

const areInConflict = (one: Instance, other: Instance): boolean =>
  one.steps.some((step) =>
    other.steps.some(
      ({ row, reads, writes }) =>
        row === step.row && (share(step.writes, writes) || share(step.writes, reads) || share(step.reads, writes)),
    ),
  );

const share = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((each) => others.includes(each));

function isSplitBy([first, ...others]: readonly Instance[]): boolean {
  const schedules = new Schedules([first!, ...others]);
  const middle = others.flatMap(({ steps }, i) => Array.from({ length: steps.length + 1 }, () => i + 1));
  return first!.steps.some((_, at) => {
    const order = [...Array.from({ length: at + 1 }, () => 0), ...middle];
    const rest = Array.from({ length: first!.steps.length - at }, () => 0);
    return schedules.isViolation(placesIn([...order, ...rest], 1 + others.length));
  });
}

/** Place of each step of each instance; the last one is the commit. */
type Places = readonly (readonly number[])[];

function placesIn(order: readonly number[], count: number): Places {
  const places: number[][] = Array.from({ length: count }, () => []);
  for (const [place, t] of order.entries()) places[t]!.push(place);
  return places;
}

function instancesOf({ operations }: Template, level: string, keys: readonly number[]): Instance[] {
  let maps: ReadonlyMap<string, number>[] = [new Map()];
  for (const variable of new Set(operations.map((each) => each.variable)))
    maps = maps.flatMap((map) =>
      keys.filter((key) => ![...map.values()].includes(key)).map((key) => new Map(map).set(variable, key)),
    );
  return maps.map((map) => ({
    level,
    steps: operations.map(({ relation, variable, reads, writes }) => ({
      row: `${relation} ${map.get(variable)}`,
      reads,
      writes,
    })),
  }));
}

function* interleavings(left: readonly number[]): Generator<number[]> {
  if (left.every((count) => count === 0)) yield [];
  for (const [t, count] of left.entries())
    if (count > 0) for (const rest of interleavings(left.with(t, count - 1))) yield [t, ...rest];
}

/** Steps of two instances that access the same column of a row. */
interface Pair {
  readonly t: number;
  readonly i: number;
  readonly u: number;
  readonly j: number;
}

class Schedules {
  readonly #instances: readonly Instance[];
  readonly #writes: readonly Pair[];
  readonly #overwritten: readonly Pair[];
  #at: Places = [];

  constructor(instances: readonly Instance[]) {
    this.#instances = instances;
    this.#writes = this.#pairs('writes', 'writes');
    this.#overwritten = this.#pairs('reads', 'writes');
  }

  /** States that some transaction can miss a write of another one. */
  get mayViolate(): boolean {
    return this.#overwritten.length > 0;
  }

  isViolation(at: Places): boolean {
    this.#at = at;
    if (!this.#writes.every((pair) => this.#isAllowed(pair))) return false;
    const none = (): boolean[][] => at.map(() => at.map(() => false));
    const [edges, rw] = [none(), none()];
    for (const { t, u } of this.#writes) if (this.#commit(t) < this.#commit(u)) edges[t]![u] = true;
    for (const { t, i, u } of this.#overwritten) {
      if (this.#commit(u) < this.#readTime(t, i)) edges[u]![t] = true;
      else edges[t]![u] = rw[t]![u] = true;
    }
    return hasCycle(edges) && !this.#hasDanger(rw);
  }

  #commit(t: number): number {
    return this.#at[t]!.at(-1)!;
  }

  #begin(t: number): number {
    return this.#at[t]![0]!;
  }

  /** Returns the time of the versions that a step reads. */
  #readTime(t: number, step: number): number {
    return this.#instances[t]!.level === 'RC' ? this.#at[t]![step]! : this.#begin(t);
  }

  /** Refuses dirty writes and, at snapshot isolation, writes over a transaction that committed after the begin. */
  #isAllowed({ t, i, u, j }: Pair): boolean {
    if (this.#at[t]![i]! > this.#at[u]![j]!) return true;
    const isDirty = this.#at[u]![j]! < this.#commit(t);
    return !isDirty && (this.#instances[u]!.level === 'RC' || this.#commit(t) < this.#begin(u));
  }

  #pairs(one: 'reads' | 'writes', other: 'reads' | 'writes'): Pair[] {
    return this.#instances.flatMap(({ steps }, t) =>
      steps.flatMap((step, i) =>
        this.#instances.flatMap((second, u) =>
          second.steps.flatMap((later, j) => {
            const meet = t !== u && step.row === later.row && step[one].some((each) => later[other].includes(each));
            return meet ? [{ t, i, u, j }] : [];
          }),
        ),
      ),
    );
  }

  #hasDanger(rw: readonly (readonly boolean[])[]): boolean {
    const tracked = [...this.#instances.keys()].filter((t) => this.#instances[t]!.level === 'SSI');
    const meet = (t: number, u: number): boolean =>
      this.#begin(t) < this.#commit(u) && this.#begin(u) < this.#commit(t);
    return tracked.some((t2) =>
      tracked.some(
        (t1) =>
          rw[t1]![t2]! &&
          meet(t1, t2) &&
          tracked.some((t3) => {
            const ends = this.#commit(t3);
            if (!rw[t2]![t3]! || !meet(t2, t3) || ends >= this.#commit(t2) || ends > this.#commit(t1)) return false;
            const onlyReads = this.#instances[t1]!.steps.every(({ writes }) => writes.length === 0);
            return !onlyReads || ends < this.#begin(t1);
          }),
      ),
    );
  }
}

function hasCycle(edges: readonly (readonly boolean[])[]): boolean {
  const reach = edges.map((row) => [...row]);
  for (const k of reach.keys())
    for (const i of reach.keys()) for (const j of reach.keys()) reach[i]![j] ||= reach[i]![k]! && reach[k]![j]!;
  return reach.some((row, i) => row[i]);
}
