import type { Story } from './story.ts';

/** What follows for levels, as label and levels; of a part, also what the whole history violates and satisfies. */
export function standingOf({ verdict, isPart = false, ruledOut = [], leftStanding, whole }: Story) {
  if (verdict === 'satisfied' || ruledOut.length === 0) return [];
  const [rulesOut, leaves] = isPart
    ? ['this part alone rules out', 'this part alone is consistent with']
    : ['rules out', 'is consistent with'];
  const rows: (readonly [label: string, levels: readonly string[]])[] = [[rulesOut, ruledOut]];
  if (leftStanding) rows.push([leaves, leftStanding.length > 0 ? leftStanding : ['nothing']]);
  if (isPart && whole !== undefined)
    rows.push(['the whole history violates', whole.violates], ['the whole history satisfies', whole.satisfies]);
  return rows.filter(([, levels]) => levels.length > 0);
}
