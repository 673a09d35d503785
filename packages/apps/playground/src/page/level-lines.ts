import type { CheckResult } from 'isolab/check';

type Levels = Pick<NonNullable<CheckResult['answer']>, 'kept' | 'notKept'>;

/** States the violated and the kept levels, in a line each, without their names in parentheses. */
export const levelLines = ({ kept, notKept }: Levels): string =>
  [...line('Not kept', notKept), ...line('Kept', kept)].join('\n');

const line = (what: string, levels: string | null): string[] =>
  levels === null ? [] : [`${what}: ${levels.replace(/ \([^()]*\)$/, '')}.`];
