/** The cache key of a cell: a hash of everything that decides its result. */
import { sha256OfText } from './checksum.ts';

export interface Decisive {
  /** The checksum of the history. */
  readonly history: string;
  readonly checker: string;
  /** The hash of its code, or the command of a tool. */
  readonly code: string;
  readonly variant: string | null;
  readonly options: Readonly<Record<string, string>>;
  readonly level: string;
  readonly limits: { readonly seconds: number; readonly megabytes: number };
  readonly verify: boolean;
  readonly machine: string;
  readonly node: string;
  /** How many cells may run beside this one. */
  readonly jobs: number;
  /** Repeats are measurements of their own. */
  readonly repeat: number;
}

export const keyOf = (decisive: Decisive): string => sha256OfText(stable(decisive)).slice(0, 32);

/** JSON with the fields in the order of their names. */
const stable = (value: unknown): string =>
  JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
