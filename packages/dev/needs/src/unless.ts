/** Skips tests for a reason, which the summary of `npm test` prints. */
import type { TestContext } from 'vitest';
import { placesOf } from './find.ts';
import { NEEDS, type Need, type NeedName } from './needs.ts';

/** Entry of a skipped test in test-results.json. */
export interface Lack {
  readonly need: NeedName;
  readonly why: string;
}

declare module 'vitest' {
  interface TaskMeta {
    lack?: Lack;
  }
}

/** Options of a test or a suite that skip it unless a need is met. */
export type Skipping = { readonly skip?: true; readonly meta?: { readonly lack: Lack } };

/**
 * Returns options that skip a test or a suite if a need is missing: `test('…', { timeout: 60_000, ...unless('redis') },
 * …)`. A test that has searched by itself states whether the need is met, and may give a more precise reason.
 */
export function unless(need: NeedName, isHere = placesOf(need) !== null, why = reasonOf(need)): Skipping {
  return isHere ? {} : { skip: true, meta: { lack: { need, why } } };
}

/** Skips the running test unless a need is met. */
export function skipUnless({ task, skip }: TestContext, need: NeedName, isHere: boolean, why = reasonOf(need)): void {
  if (isHere) return;
  task.meta.lack = { need, why };
  skip(why);
}

/** Reason why tests are skipped, with the command that installs the missing packages. */
function reasonOf(name: NeedName): string {
  const { without, debian = [] }: Need = NEEDS[name];
  const packages = debian.map((names) => names.split('|')[0]);
  return packages.length === 0 ? without : `${without} (Debian: apt-get install ${packages.join(' ')})`;
}
