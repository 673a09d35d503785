/** Tables of README.md and docs/ that are generated from the registries, so they cannot become outdated. */
import { KNOWN_LEVELS } from '@isolab/contract';
import { loadCheckers } from 'isolab';
import { VERDICT_WORDS } from 'isolab/levels';
import { ALL_FORMATS } from '@isolab/formats';
import { fileURLToPath } from 'node:url';
import { packagesTable } from './architecture-picture.ts';
import { anomaliesByLevel } from './anomaly-table.ts';
import { markdownTable } from '@isolab/site';
import { ringsAsMarkdown } from './rings.ts';
import { speedTables } from './speed-table.ts';
import { startTable } from './start-table.ts';
import { TREATMENTS } from '@isolab/record';
import { ORIGINS, THRESHOLDS } from '@isolab/weave';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const infos = (await loadCheckers()).map(({ checker }) => checker.info);

/** The generated tables, and the page of each. */
export const TABLE_PAGES = {
  formats: 'docs/formats.md',
  levels: 'docs/levels.md',
  checkers: 'docs/checkers.md',
  reasons: 'docs/levels.md',
  'repeatable-read': 'docs/repeatable-read.md',
  speed: 'docs/speed.md',
  start: 'docs/speed.md',
  packages: 'docs/architecture.md',
  rings: 'docs/architecture.md',
  record: 'docs/record.md',
  thresholds: 'packages/checkers/weave/README.md',
} as const;

const VERDICTS: ReadonlySet<string> = new Set(['satisfied', 'violated', 'unknown']);

export type TableName = keyof typeof TABLE_PAGES;

/** Returns a page with its table regenerated. */
export function regenerate(page: string, name: TableName): string {
  const begin = `<!-- generated:${name} -->`;
  const end = '<!-- /generated -->';
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${TABLE_PAGES[name]} has no part between ${begin} and ${end}.`);
  return `${page.slice(0, from + begin.length)}\n${TABLES[name]()}\n${page.slice(to)}`;
}

const TABLES: Readonly<Record<TableName, () => string>> = {
  formats: () =>
    markdownTable(
      ['format', 'files', 'reads', 'writes', 'description'],
      ALL_FORMATS.map((format) => [
        `\`${format.name}\``,
        format.layout === 'directory' ? `a directory of \`${format.fileName}\`` : `\`${format.fileName}\``,
        'yes',
        'writePolygraph' in format || format.writer ? 'yes' : 'no',
        format.title,
      ]),
    ),
  levels: () =>
    markdownTable(
      ['level', 'also called', 'implies', 'requirement'],
      KNOWN_LEVELS.map(({ name, aliases, implies, summary }) => [
        `\`${name}\``,
        aliases.join(', '),
        implies.map((weaker) => `\`${weaker}\``).join(', '),
        summary,
      ]),
    ),
  checkers: () =>
    markdownTable(
      ['checker', 'description', 'levels', 'variants'],
      infos.map(({ name, title, paper, levels, variants }) => [
        `\`${name}\``,
        paper ? `${title} (${paper.authors}, ${paper.venue} ${paper.year})` : title,
        levels.map((level) => `\`${level}\``).join(', '),
        Object.keys(variants)
          .map((variant) => `\`${variant}\``)
          .join(', '),
      ]),
    ),
  reasons: () =>
    markdownTable(
      ['reason', 'meaning', 'what to do'],
      Object.entries(VERDICT_WORDS)
        .filter(([word]) => !VERDICTS.has(word))
        .map(([word, { title, remedy }]) => [`\`${word}\``, title, remedy]),
    ),
  'repeatable-read': anomaliesByLevel,
  speed: speedTables,
  start: startTable,
  packages: () => packagesTable(ROOT),
  rings: ringsAsMarkdown,
  record: () =>
    markdownTable(
      ['statements, tables, settings', 'record', 'reason'],
      TREATMENTS.map(({ of, how, why }) => [of.map(inCode).join(', '), how, why]),
    ),
  thresholds: () =>
    markdownTable(
      ['threshold', 'value', 'range', 'unit', 'origin', 'at this value', 'if it is too low', 'if it is too high'],
      Object.entries(THRESHOLDS).map(([name, [value, least, most, , unit, origin, decides, tooLow, tooHigh]]) => [
        `\`${name}\``,
        shown(value),
        `${shown(least)} to ${shown(most)}`,
        unit,
        ORIGINS[origin],
        decides,
        tooLow,
        tooHigh,
      ]),
    ),
};

/** Formats keywords, operators and settings as code. */
const inCode = (text: string): string => (/^[^a-z]+$|^[a-z]+_|^[A-Z][a-z]+[A-Z]/.test(text) ? `\`${text}\`` : text);

const shown = (value: number): string =>
  value === Infinity ? '∞' : value.toLocaleString('en', { maximumFractionDigits: 5 });
