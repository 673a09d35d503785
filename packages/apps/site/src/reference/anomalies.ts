/** Reference of anomalies: the smallest history of each, its picture, its other names, the levels that forbid it, a remedy. */
import { ALL_ANOMALIES, type AnomalyName, CLAIM_ANOMALIES, type LevelName } from '@isolab/contract';
import { anomalyInWords } from '@isolab/explain';
import { parseNotation } from '@isolab/formats';
import { drawSvg } from '@isolab/story';
import { escapeXml } from '@isolab/story/markup';
import { explained } from 'isolab/levels';
import { type Entry, type Picture, storyOfViolation } from './gallery-entry.ts';

export async function anomalyReference(): Promise<Entry> {
  const sections: Entry[] = [];
  for (const { name } of [...ALL_ANOMALIES, ...CLAIM_ANOMALIES]) sections.push(await section(name));
  return {
    text: sections.map(({ text }) => text).join('\n\n'),
    pictures: sections.flatMap(({ pictures }) => pictures),
  };
}

async function section(word: AnomalyName): Promise<Entry> {
  const { name, title, aliases, levels, history, remedy } = explained(word)!;
  const words = (names: readonly string[]): string => names.map((each) => `\`${each}\``).join(', ');
  const drawn = history === null ? null : await picturesOf(name, history, levels);
  const text = [
    `## ${headingOf(word)}`,
    `${title.replace(/^./, (letter) => letter.toUpperCase())}.${aliases.length === 0 ? '' : ` Also called ${words(aliases)}.`}`,
    ...(drawn === null ? [] : [drawn.text]),
    ...(history === null ? [] : [`\`\`\`text\n${history}\n\`\`\``]),
    ...(levels.length === 0 ? [] : [`The weakest levels that forbid it: ${words(levels)}.`]),
    ...(remedy === null ? [] : [remedy]),
  ];
  return { text: text.join('\n\n'), pictures: drawn?.pictures ?? [] };
}

/** Name in words, with the name of the literature where it is another one. */
export function headingOf(name: AnomalyName): string {
  const words = anomalyInWords(name);
  return words.toLowerCase().replaceAll(' ', '-') === name.toLowerCase() ? words : `${words} (${name})`;
}

/** Draws a history by the weakest of the levels that it violates; null if it violates none, or has no order to draw. */
async function picturesOf(name: string, history: string, levels: readonly LevelName[]): Promise<Entry | null> {
  for (const level of [...levels, 'serializable', 'strict-serializable'] as const) {
    const story = await storyOfViolation(`${name}.txt`, parseNotation(history), level);
    if (story === null || story.verdict === 'satisfied') continue;
    const file = (suffix: string, narrow: boolean): Picture => ({
      path: `anomalies/${name}${suffix}.svg`,
      content: `${drawSvg(story, { theme: 'auto', frame: false, narrow })}\n`,
    });
    const [wide, narrow] = [file('', false), file('-narrow', true)];
    return {
      text: `<picture><source media="(max-width:60rem)" srcset="${narrow.path}"><img src="${wide.path}" alt="${escapeXml(story.summary)}" loading="lazy"></picture>`,
      pictures: [wide, narrow],
    };
  }
  return null;
}
