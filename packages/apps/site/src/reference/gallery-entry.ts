/** Picture of the gallery, with its text. */
import type { LevelName } from '@isolab/contract';
import type { History } from '@isolab/history';
import { check, story as tellStory } from 'isolab';
import { type DrawOptions, type Story, drawSvg } from '@isolab/story';
import { escapeXml } from '@isolab/story/markup';

export interface Picture {
  /** Path below docs/. */
  readonly path: string;
  readonly content: string;
}

export interface Entry {
  readonly text: string;
  readonly pictures: readonly Picture[];
}

/** Makes a checker's story of a violation; the library chooses the checker unless it is given. */
export async function storyOfViolation(
  name: string,
  history: History,
  level: LevelName,
  checker?: string,
): Promise<Story | null> {
  const result = await check(history, { level, ...(checker !== undefined && { checker }) });
  return tellStory(history, { ...result, path: name });
}

export interface Heading {
  readonly id: string;
  readonly title: string;
  readonly about?: string;
  /** Database of the bug. */
  readonly database?: string;
  /** Whether the story shows positions in the source. */
  readonly places?: boolean;
  /** History in the notation of the test kit. */
  readonly notation: string;
}

export function entryOf(
  story: Story,
  { id, title, about = '', database = '', places = false, notation }: Heading,
): Entry {
  const draw = (name: string, options: DrawOptions): Picture => ({
    path: `gallery/${name}.svg`,
    content: `${drawSvg(story, { theme: 'auto', ...options })}\n`,
  });
  const { anomaly, level, summary, prose } = story;
  const whole = draw(id, { narrow: 'if-needed' });
  const small = draw(`${id}-small`, { frame: false, cycleOnly: story.edges.some(({ part }) => part === 'cycle') });
  const narrow = draw(`${id}-narrow`, { frame: false, narrow: true });
  const stages = (story.stages ?? []).map(({ name, text }) => ({ text, file: draw(`${id}-${name}`, { stage: name }) }));
  const aliases = anomaly === null ? [] : anomaly.aliases.map((name) => `\`${name}\``);
  const also = aliases.length === 0 ? '' : `, also called ${aliases.join(', ')}`;
  const found = anomaly === null ? '' : `: \`${anomaly.name}\`${also}`;
  const text = [
    `### ${title}`,
    about,
    `\`${level}\` is violated${found}.`,
    `<picture><source media="(max-width:60rem)" srcset="${narrow.path}"><img src="${whole.path}" alt="${escapeXml(summary)}" loading="lazy"></picture>`,
    prose.map((sentence) => `- ${places ? sentence.text : withoutPlaces(sentence.text)}`).join('\n'),
    `\`\`\`text\n${notation.trim()}\n\`\`\``,
    stages.map(({ text: what, file }) => `![${what}](${file.path})`).join('\n'),
  ];
  const facts = [
    ['anomaly', anomaly?.name ?? ''],
    ['level', level],
    ['database', database],
  ]
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ` data-${name}="${escapeXml(value!)}"`);
  const tags = [anomaly?.name, level].filter((tag) => tag !== undefined).join(' · ');
  const summaryLine = `<summary><img src="${small.path}" alt="" loading="lazy"><b>${escapeXml(title)}</b> <small>${escapeXml(tags)}</small></summary>`;
  return {
    text: [
      `<details class="card"${facts.join('')}>${summaryLine}`,
      ...text.filter((block) => block !== ''),
      '</details>',
    ].join('\n\n'),
    pictures: [whole, small, narrow, ...stages.map(({ file }) => file)],
  };
}

const withoutPlaces = (text: string): string => text.replaceAll(/ \((?:[^()]*, )?(?:line|record|byte) \d+\)/g, '');
