import type { Story } from './story.ts';

/** Consequences for levels, as pairs of label and levels. */
export function standingOf({ verdict, isPart = false, ruledOut = [], leftStanding }: Story) {
  if (verdict === 'satisfied' || ruledOut.length === 0) return [];
  const [rulesOut, leaves] = isPart
    ? ['this part alone rules out', 'this part alone is consistent with']
    : ['rules out', 'is consistent with'];
  const rows: (readonly [label: string, levels: readonly string[]])[] = [[rulesOut, ruledOut]];
  if (leftStanding) rows.push([leaves, leftStanding.length > 0 ? leftStanding : ['nothing']]);
  return rows.filter(([, levels]) => levels.length > 0);
}

/** Levels that the whole history keeps, as pairs of label and text; empty if only one level was checked. */
export function answerRows({ answer }: Pick<Story, 'answer'>): (readonly [label: string, words: string])[] {
  if (answer === undefined) return [];
  const { kept, notKept, notDecided } = answer;
  return [
    ...(kept === null ? [] : [['kept', kept] as const]),
    ...(notKept === null ? [] : [['not kept', notKept] as const]),
    ...notDecided.map((line) => ['not decided', line] as const),
  ];
}
