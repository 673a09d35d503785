import { type LevelName, STATABLE, STATED } from '@isolab/contract';
import type { Isolation } from '@isolab/engines';

/** Levels of a database as one level, at which sessions take them in turn; null if transactions can state fewer than two. */
export function mixedOf(isolations: readonly Isolation[]): Isolation | null {
  const mixes = isolations.flatMap((one) => {
    const beside = keptBeside(one);
    return beside === null || !isStatable(beside) ? [] : [{ ...one, beside }];
  });
  return mixes.length < 2 ? null : { name: 'mixed', claims: STATED, mixes };
}

const isStatable = (level: LevelName): boolean => STATABLE.some((name) => name === level);

function keptBeside({ claims, beside }: Isolation): LevelName | null {
  if (beside !== undefined) return beside;
  if (claims === 'serializable' || claims === 'strict-serializable') return 'snapshot-isolation';
  // The commits of a single server order its sessions, too.
  return claims === 'read-committed-pl2' ? 'strong-session-read-committed' : claims;
}

/** Returns the level of the session with a number, counted from the given start. */
export const isolationOf = (isolation: Isolation, session: number): Isolation =>
  isolation.mixes?.[session % isolation.mixes.length] ?? isolation;

/** Returns isolab's names of the levels that transactions state, for the header of a history. */
export const statedLevels = ({ mixes }: Isolation): Readonly<Record<string, LevelName>> | null =>
  mixes === undefined ? null : Object.fromEntries(mixes.map(({ name, beside }) => [name, beside]));
