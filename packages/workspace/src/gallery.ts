/** docs/gallery.md and its pictures: every anomaly of the named histories, as isolab draws and explains it. */
import type { LevelName } from '@isolab/checker';
import { engineChooser, storyOf } from '@isolab/cli';
import { prepare, run } from '@isolab/runner';
import { NAMED_HISTORIES, type NamedHistory } from '@isolab/testkit';
import { type Story, drawSvg } from '@isolab/visualise';

export interface GalleryFile {
  /** Below docs/. */
  readonly path: string;
  readonly content: string;
}

/** Well-known levels first: a picture is of the weakest of them that the history violates. */
const LEVELS: readonly LevelName[] = [
  'cut-isolation',
  'read-committed',
  'read-atomic',
  'causal',
  'prefix',
  'snapshot-isolation',
  'serializable',
  'strict-serializable',
];

const SECTIONS: readonly (readonly [prefix: string, title: string, about: string])[] = [
  ['mtc-', 'The anomalies of mini-transactions', 'The fourteen of MTC’s Table 1.'],
  ['tap-', 'Transactional anomalous patterns', 'The fourteen of Plume’s Table 1.'],
  ['list-', 'Lists', 'What only lists can show.'],
];

export async function gallery(): Promise<GalleryFile[]> {
  const pictures: GalleryFile[] = [];
  const text: string[] = [HEAD];
  for (const [prefix, title, about] of SECTIONS) {
    text.push(`## ${title}`, about);
    for (const named of NAMED_HISTORIES.filter(({ name }) => name.startsWith(prefix))) {
      const told = await storyOfNamed(named);
      if (told === null) continue;
      const path = `gallery/${named.name}.svg`;
      pictures.push({ path, content: `${drawSvg(told, { theme: 'auto' })}\n` });
      text.push(entry(named, told, path));
    }
  }
  return [{ path: 'gallery.md', content: `${text.join('\n\n')}\n` }, ...pictures];
}

async function storyOfNamed({ name, history, verdicts }: NamedHistory): Promise<Story | null> {
  const level = LEVELS.find((one) => verdicts[one] === 'violated');
  if (level === undefined) return null;
  const prepared = prepare(history);
  const engine = (await engineChooser(null, prepared, [level]))(level);
  const report = await run({ ...engine, prepared, level }, { certify: true });
  return storyOf({ path: name, prepared, engine, report });
}

function entry({ name, text }: NamedHistory, { title, summary, prose, anomaly, level }: Story, path: string): string {
  const aliases = anomaly === null ? '' : [anomaly.name, ...anomaly.aliases].map((alias) => `\`${alias}\``).join(', ');
  return [
    `### ${name.replace(/^[a-z]+-/, '')}: ${title}`,
    `\`${level}\` is violated. ${aliases}`,
    `![${summary}](${path})`,
    prose.map((sentence) => `- ${sentence.text.replaceAll(/ \((?:[^()]*, )?(?:line|record) \d+\)/g, '')}`).join('\n'),
    `\`\`\`text\n${text.trim()}\n\`\`\``,
  ].join('\n\n');
}

const HEAD = `# Gallery

Made by \`npm run generate\`: what \`isolab view\` draws and says of the named histories that every checker is tested with. Sessions are lanes, transactions are cells; read-from edges are solid, anti-dependencies dashed, and the edges of the cycle are numbered. Below each picture stand the explanation and the history, a session a line.`;
