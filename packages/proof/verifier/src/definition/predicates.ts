import { type History, atomOf, countKeys } from '@isolab/history';
import { refuse } from '../verdict/flaw.ts';

/** The names of keys that were examined: an axiom for each key asks as often as there are keys. */
const lookedAt = new WeakSet<History['keys']>();

/** Refuses histories in which scans passed over rows: which reads are of whether a row matches is not known here. */
export function refusePredicates({ keys }: History): void {
  if (lookedAt.has(keys)) return;
  for (let key = 0; key < countKeys({ keys } as History); key++) {
    const name = atomOf(keys, key);
    if (typeof name === 'string' && name.includes(' where '))
      refuse(`key ${key} says whether a row matches, and this level distinguishes such keys from others`);
  }
  lookedAt.add(keys);
}
