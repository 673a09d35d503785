/** The parts of README.md that are generated from the registries, so that they cannot go stale. */
import { LEVELS } from '@isolab/contract';
import { loadCheckers } from 'isolab';
import { ALL_FORMATS } from '@isolab/formats';

const infos = (await loadCheckers()).map(({ checker }) => checker.info);

/** The README with every generated part made anew. */
export function regenerate(readme: string): string {
  let text = readme;
  for (const [name, table] of Object.entries(SECTIONS)) {
    const begin = `<!-- generated:${name} -->`;
    const end = '<!-- /generated -->';
    const from = text.indexOf(begin);
    const to = text.indexOf(end, from);
    if (from < 0 || to < 0) throw new Error(`README.md has no part between ${begin} and ${end}.`);
    text = `${text.slice(0, from + begin.length)}\n${table()}\n${text.slice(to)}`;
  }
  return text;
}

const SECTIONS: Readonly<Record<string, () => string>> = {
  formats: () =>
    markdownTable(
      ['format', 'files', 'reads', 'writes', 'what it is'],
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
      ['level', 'also called', 'implies', 'what it asks for'],
      LEVELS.map(({ name, aliases, implies, summary }) => [
        `\`${name}\``,
        aliases.join(', '),
        implies.map((weaker) => `\`${weaker}\``).join(', '),
        summary,
      ]),
    ),
  checkers: () =>
    markdownTable(
      ['checker', 'what it is', 'levels', 'variants'],
      infos.map(({ name, title, paper, levels, variants }) => [
        `\`${name}\``,
        paper ? `${title} (${paper.authors}, ${paper.venue} ${paper.year})` : title,
        levels.map((level) => `\`${level}\``).join(', '),
        Object.keys(variants)
          .map((variant) => `\`${variant}\``)
          .join(', '),
      ]),
    ),
};

const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
