/** The numbers in certificates, which refer to transactions, operations and keys of a history. */
import type { Edge } from './certificate.ts';

/** Functions that return the transaction, the operation and the key that a number refers to in another history. */
export interface Numbering {
  txn(t: number): number;
  op(op: number): number;
  key(key: number): number;
}

/** Fields of certificates that hold numbers of transactions, operations or keys. Other numbers stay the same. */
export const NUMBERED: Readonly<Record<string, keyof Numbering>> = {
  transaction: 'txn',
  from: 'txn',
  to: 'txn',
  first: 'txn',
  second: 'txn',
  writer: 'txn',
  read: 'op',
  reads: 'op',
  write: 'op',
  writes: 'op',
  other: 'op',
  key: 'key',
};

/**
 * Replaces the numbers of a certificate or of a part of one by those that they refer to. Negative numbers stay.
 * `replacement` returns parts that use the fields in their own way, or null.
 */
export function renumber<Part extends object>(
  whole: Part,
  numbering: Numbering,
  replacement: (part: object) => object | null = () => null,
): Part {
  const known = new Map<object, object>(); // edges may be shared
  const replaced = (name: string, value: unknown): unknown => {
    if (typeof value === 'number') return value < 0 || !(name in NUMBERED) ? value : numbering[NUMBERED[name]!](value);
    if (Array.isArray(value)) return value.map((each) => replaced(name, each));
    return typeof value === 'object' && value !== null ? part(value) : value;
  };
  const part = (given: object): object => {
    let found = known.get(given) ?? replacement(given);
    found ??= Object.fromEntries(Object.entries(given).map(([name, value]) => [name, replaced(name, value)]));
    known.set(given, found);
    return found;
  };
  return part(whole) as Part;
}

/** Yields the numbers in certificates with the names of their fields, or of their lists. */
export function* numbersIn(
  certificates: readonly object[],
): Generator<readonly [name: string, value: number, part: object]> {
  const seen = new Set<object>(); // edges may be shared
  const rest = [...certificates];
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (seen.has(part)) continue;
    seen.add(part);
    for (const [name, value] of Object.entries(part) as [string, unknown][]) {
      for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
        if (typeof each === 'number') yield [name, each, part];
        else if (typeof each === 'object' && each !== null) rest.push(each);
      }
    }
  }
}

/** Visits the edges of cycles and, recursively, the edges of their reasons. */
export function eachEdge(cycles: readonly (readonly Edge[])[], visit: (edge: Edge) => void): void {
  const seen = new Set<Edge>(); // reasons may share edges
  const stack = [...cycles];
  for (let edges = stack.pop(); edges !== undefined; edges = stack.pop()) {
    for (const edge of edges) {
      if (seen.has(edge)) continue;
      seen.add(edge);
      visit(edge);
      if (edge.reason.kind === 'overwritten') stack.push(edge.reason.visible);
      else if (edge.reason.kind === 'overwrites') stack.push(edge.reason.order);
    }
  }
}
