import { type History, atomOf, countKeys } from '@isolab/history';
import { refuse } from '../flaw.ts';

/** Refuses histories in which scans passed over rows: which reads are of whether a row matches is not known here. */
export function refusePredicates({ keys }: History): void {
  for (let key = 0; key < countKeys({ keys } as History); key++) {
    const name = atomOf(keys, key);
    if (typeof name === 'string' && name.includes(' where '))
      refuse(`key ${key} says whether a row matches, which this level tells from other keys`);
  }
}
