/** Reference of anomalies: the smallest history of each, its other names, the levels that forbid it, and a remedy. */
import { ALL_ANOMALIES, CLAIM_ANOMALIES } from '@isolab/contract';
import { explained } from 'isolab/levels';

export const anomalyReference = (): string =>
  [...ALL_ANOMALIES, ...CLAIM_ANOMALIES].flatMap(({ name }) => section(name)).join('\n\n');

function section(word: string): string[] {
  const { name, title, aliases, levels, history, remedy } = explained(word)!;
  const words = (names: readonly string[]): string => names.map((each) => `\`${each}\``).join(', ');
  return [
    `## ${name}`,
    `${title.replace(/^./, (letter) => letter.toUpperCase())}.${aliases.length === 0 ? '' : ` Also called ${words(aliases)}.`}`,
    ...(history === null ? [] : [`\`\`\`text\n${history}\n\`\`\``]),
    ...(levels.length === 0 ? [] : [`The weakest levels that forbid it: ${words(levels)}.`]),
    ...(remedy === null ? [] : [remedy]),
  ];
}
