import { EdgeColumns, IntList } from '@isolab/graph';

/** Reasons for edges of the known graph. */
export const Known = {
  /** Given with the polygraph, without a reason. */
  Given: 0,
  Session: 1,
  /** A transaction's snapshot precedes its commit. */
  Within: 2,
  /** `to` read a write of `from`; `read` is that read. */
  ReadFrom: 3,
  /** `from` read (in `read`) the version that was overwritten by `version` of `to`. */
  Overwritten: 4,
  /** `from` wrote the version or chain of versions before `version`, which `to` wrote. */
  Written: 5,
  /** Represents a path through removed transactions. */
  Shortcut: 6,
} as const;

/** Reasons why one version precedes another; a number from 0 is the constraint that was decided. */
export const Order = {
  /** The first version is the base, or the transaction of the second read it. */
  Direct: -1,
  /** The first version is in the chain of the base. */
  Base: -2,
} as const;

/** Edges that must hold, with their reasons, in columns, in the order in which they became known. */
export class KnownGraph {
  readonly ends: EdgeColumns;
  readonly kind = new IntList();
  readonly read = new IntList();
  readonly version = new IntList();
  readonly order = new IntList();

  constructor(capacity?: number) {
    this.ends = new EdgeColumns(capacity);
  }

  get count(): number {
    return this.ends.count;
  }

  add(from: number, to: number, kind: number, read = -1, version = -1, order: number = Order.Direct): void {
    this.ends.add(from, to);
    this.kind.push(kind);
    this.read.push(read);
    this.version.push(version);
    this.order.push(order);
  }
}
