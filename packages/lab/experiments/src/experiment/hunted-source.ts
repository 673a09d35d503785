/** A database in which a hunt searches for a violation; the hunt generates the histories itself. */
import type { Point } from './point-values.ts';

/** `$x` stands for the point. The variant of the series, whose checker is `hunt`, is the drawing strategy. */
export interface HuntedSource {
  /** The database, such as `postgres@12.3`, or a simulated one, `simulated:serializable?write-skew=0.001`. */
  readonly hunt: string;
  /** The database's own name for the level; its strongest level if absent. */
  readonly isolation?: string;
  readonly seed: number;
}

export interface ResolvedHunt {
  readonly kind: 'hunted';
  readonly database: string;
  readonly isolation: string | null;
  readonly seed: number;
}

/** `repeat` changes the seed. */
export const resolveHunt = ({ hunt, isolation, seed }: HuntedSource, x: Point, repeat: number): ResolvedHunt => ({
  kind: 'hunted',
  database: hunt.replaceAll('$x', String(x)),
  isolation: isolation ?? null,
  seed: seed + repeat,
});

/** Checker name of a series that hunts. */
export const HUNT = 'hunt';
