import { EdgeColumns, IntList } from '@isolab/graph';

/** Reason for an edge of the known graph. */
export const Known = {
  /** Given with the polygraph, with no reason. */
  Given: 0,
  /** Session order. */
  Session: 1,
  /** A transaction's snapshot comes before its commit. */
  Within: 2,
  /** `to` read a write of `from`, with `read`. */
  ReadFrom: 3,
  /** `from` read, with `read`, the version that `version` (written by `to`) overwrote. */
  Overwritten: 4,
  /** `from` wrote the version, or the chain of versions, that comes before `version`, written by `to`. */
  Written: 5,
  /** Stands for a path over transactions that are gone. */
  Shortcut: 6,
} as const;

/** How it is known which of two versions comes first; a number from 0 names the constraint that was decided. */
export const Order = {
  /** The one is the base, or the other one's transaction read it. */
  Direct: -1,
  /** The one is in the chain of the base. */
  Base: -2,
} as const;

/** The edges that must hold, with their reasons, in columns; in the order in which they became known. */
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
