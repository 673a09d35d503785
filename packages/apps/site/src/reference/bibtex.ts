/** The papers that isolab implements or repeats, as entries of BibTeX, from `benchmarks/papers.json`. */
import { readFileSync } from 'node:fs';

interface Paper {
  readonly type: string;
  readonly title: string;
  readonly authors: readonly string[];
  readonly year: number;
  readonly [field: string]: unknown;
}

/** Writes one block of Markdown with isolab and all papers. */
export function bibtexReference(): string {
  const file = new URL('../../../../../benchmarks/papers.json', import.meta.url);
  const { references } = JSON.parse(readFileSync(file, 'utf8')) as { references: Record<string, Paper> };
  const entries = Object.entries(references).map(([key, paper]) => entryOf(key, paper));
  return `\`\`\`bibtex\n${[ISOLAB, ...entries].join('\n\n')}\n\`\`\``;
}

const ISOLAB = '@software{isolab,\n  title = {isolab},\n  author = {{isolab contributors}}\n}';

function entryOf(key: string, paper: Paper): string {
  const { type, title, authors, year, start, end } = paper;
  const fields: [string, unknown][] = [
    ['title', `{${title}}`],
    ['author', authors.join(' and ')],
    ['year', year],
    ['journal', paper['journal']],
    ['booktitle', paper['collection-title']],
    ['volume', paper['volume']],
    ['number', paper['issue']],
    ['pages', start === undefined ? undefined : `${String(start)}--${String(end)}`],
    ['doi', paper['doi']],
    ['url', paper['url']],
  ];
  const lines = fields
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  ${name} = {${String(value)}}`);
  return `@${KINDS[type] ?? 'misc'}{${key},\n${lines.join(',\n')}\n}`;
}

const KINDS: Readonly<Record<string, string>> = {
  article: 'article',
  'conference-paper': 'inproceedings',
  software: 'software',
};
