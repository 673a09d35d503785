import { type History, atomOf, countKeys } from '@isolab/history';
import { refuse } from '../verdict/flaw.ts';

/** Caches the examined key tables, because an axiom for each key repeats the check for every key. */
const lookedAt = new WeakSet<History['keys']>();

/**
 * Refuses histories in which scans passed over rows, because this check cannot recognise reads about whether a row
 * matches.
 */
export function refusePredicates({ keys }: History): void {
  if (lookedAt.has(keys)) return;
  for (let key = 0; key < countKeys({ keys } as History); key++) {
    const name = atomOf(keys, key);
    if (typeof name === 'string' && name.includes(' where '))
      refuse(`key ${key} states whether a row matches, and this level distinguishes such keys from others`);
  }
  lookedAt.add(keys);
}
