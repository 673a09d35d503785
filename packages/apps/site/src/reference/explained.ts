/**
 * A page for each anomaly and each level, from the data of `isolab explain NAME`: picture, smallest history, other names,
 * databases, remedy, and the borders of a level. Leaves Markdown, and SVG pictures beside it.
 */
import { ALL_ANOMALIES, type AnomalyName, CLAIM_ANOMALIES, KNOWN_LEVELS, type LevelName } from '@isolab/contract';
import { ENGINES } from '@isolab/engines';
import { anomalyInWords } from '@isolab/explain';
import { parseNotation } from '@isolab/formats';
import { type Story, drawSvg } from '@isolab/story';
import { escapeXml } from '@isolab/story/markup';
import { type Explained, explained } from 'isolab/levels';
import { type Picture, storyOfViolation } from './gallery-entry.ts';
import { bordersOfLevel } from './litmus.ts';
import { markdownTable } from './markdown-table.ts';

export interface ExplainedPage {
  readonly path: string;
  readonly markdown: string;
  /** The name, and the anomaly's name in words. */
  readonly names: readonly string[];
  /** Names in the literature. */
  readonly aliases: readonly string[];
}

export interface ExplainedPages {
  readonly pages: readonly ExplainedPage[];
  readonly pictures: readonly Picture[];
  /** Table of the anomalies, with links to their pages. */
  readonly table: string;
}

export async function explainedPages(): Promise<ExplainedPages> {
  const anomalies = [...ALL_ANOMALIES, ...CLAIM_ANOMALIES].map(({ name }) => name);
  const names = [...anomalies, ...KNOWN_LEVELS.map(({ name }) => name)];
  const made = await Promise.all(names.map((name) => pageOf(explained(name, ENGINES)!)));
  return {
    pages: made.map(({ page }) => page),
    pictures: made.flatMap(({ pictures }) => pictures),
    table: markdownTable(
      ['anomaly', 'name', 'meaning', 'weakest levels that forbid it'],
      anomalies.map((each) => {
        const { name, title, levels } = explained(each)!;
        return [`[${anomalyInWords(each)}](anomalies/${fileOf(name)}.md)`, `\`${name}\``, title, codes(levels)];
      }),
    ),
  };
}

const fileOf = (name: string): string => name.toLowerCase();

const codes = (names: readonly string[]): string => names.map((each) => `\`${each}\``).join(', ');

/** Words for a name, with the name where it is another one. */
function headingOf(name: string, words = anomalyInWords(name as AnomalyName)): string {
  return words.toLowerCase().replaceAll(' ', '-') === name.toLowerCase() ? words : `${words} (${name})`;
}

async function pageOf(found: Explained): Promise<{ page: ExplainedPage; pictures: readonly Picture[] }> {
  const { kind, name, title, aliases, history, remedy } = found;
  const isAnomaly = kind === 'anomaly';
  const folder = isAnomaly ? 'anomalies' : 'levels';
  const [first = '', rest = ''] = title.split(/: (.*)/s);
  const words = isAnomaly ? anomalyInWords(name as AnomalyName) : first;
  const story = await storyOf(found);
  const file = `${folder}/${fileOf(name)}`;
  const markdown = [
    `# ${headingOf(name, words)}`,
    `${isAnomaly ? `${title.replace(/^./, (letter) => letter.toUpperCase())}.` : rest}${aliases.length === 0 ? '' : ` Also called ${codes(aliases)}.`}`,
    ...(history === null ? [] : exampleOf(found, story)),
    ...relationsOf(found),
    ...(remedy === null ? [] : ['## Remedy', remedy]),
    ...databasesOf(found),
    ...(isAnomaly ? [] : bordersOfLevel(name as LevelName)),
  ];
  return {
    page: {
      path: `docs/${file}.md`,
      markdown: markdown.join('\n\n'),
      names: [name, ...(isAnomaly ? [words] : [])],
      aliases: isAnomaly ? aliases : [words, ...aliases],
    },
    pictures: story === null ? [] : picturesOf(file, story),
  };
}

/** Story by the weakest of the levels that the smallest history violates; null if it has no order to draw. */
async function storyOf({ kind, name, levels, history }: Explained): Promise<Story | null> {
  if (history === null) return null;
  const asked = kind === 'level' ? [name as LevelName] : [...levels, 'serializable', 'strict-serializable'];
  for (const level of asked as readonly LevelName[]) {
    const story = await storyOfViolation(`${name}.txt`, parseNotation(history), level);
    if (story !== null && story.verdict !== 'satisfied') return story;
  }
  return null;
}

const picturesOf = (file: string, story: Story): readonly Picture[] =>
  [false, true].map((narrow) => ({
    path: `${file}${narrow ? '-narrow' : ''}.svg`,
    content: `${drawSvg(story, { theme: 'auto', frame: false, narrow })}\n`,
  }));

function exampleOf({ kind, name, history }: Explained, story: Story | null): readonly string[] {
  const drawn = `<picture><source media="(max-width:60rem)" srcset="${fileOf(name)}-narrow.svg"><img src="${fileOf(name)}.svg" alt="${escapeXml(story?.summary ?? '')}"></picture>`;
  return [
    ...(kind === 'level' ? ['## A history that it forbids, and a next weaker level allows'] : []),
    ...(story === null ? [] : [drawn, kind === 'level' ? `${story.title}. ${story.summary}` : story.summary]),
    `\`\`\`text\n${history!.trimEnd()}\n\`\`\``,
    `Each line is a session, in the [notation](../formats.md#the-notation). [Change it in the playground](../../playground.html#text=${encodeURIComponent(history!)}).`,
  ];
}

function relationsOf({ kind, levels, stronger, anomalies }: Explained): readonly string[] {
  const lines = [
    [kind === 'anomaly' ? 'The weakest levels that forbid it' : 'The next weaker levels', levels],
    ['The next stronger levels', stronger],
    ['It forbids, unlike these weaker levels', anomalies],
  ] as const;
  const told = lines.filter(([, names]) => names.length > 0).map(([says, names]) => `- ${says}: ${codes(names)}`);
  return told.length === 0 ? [] : ['## Levels', told.join('\n')];
}

function databasesOf({ kind, databases }: Explained): readonly string[] {
  if (databases.length === 0) return [];
  const [yes, no] = kind === 'anomaly' ? ['forbidden at', 'allowed at'] : ['kept at', 'not promised at'];
  const rows = databases.map(({ database, forbid, allow }) => [database, forbid.join(', '), allow.join(', ')]);
  return [
    '## Databases',
    'By the claims of each, in its newest release ([engines](../engines.md)); [the board](../../reports/field/README.md) has the claims that were broken.',
    markdownTable(['database', yes, no], rows),
  ];
}
