/** A database in which a hunt looks for a violation: in place of a history, which the hunt makes itself. */
import type { Point } from './point-values.ts';

/** `$x` as above. How it draws is the variant of the series, whose checker is called `hunt`. */
export interface HuntedSource {
  /** The database: `postgres@12.3`, or a simulated one, `simulated:serializable?write-skew=0.001`. */
  readonly hunt: string;
  /** The database's own name of the level; its strongest one if absent. */
  readonly isolation?: string;
  readonly seed: number;
}

export interface ResolvedHunt {
  readonly kind: 'hunted';
  readonly database: string;
  readonly isolation: string | null;
  readonly seed: number;
}

/** `repeat` moves the seed. */
export const resolveHunt = ({ hunt, isolation, seed }: HuntedSource, x: Point, repeat: number): ResolvedHunt => ({
  kind: 'hunted',
  database: hunt.replaceAll('$x', String(x)),
  isolation: isolation ?? null,
  seed: seed + repeat,
});

/** The name that a series has as its checker where it hunts. */
export const HUNT = 'hunt';
