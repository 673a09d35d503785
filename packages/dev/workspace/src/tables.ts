/** The tables of README.md and docs/ that are generated from the registries, so they cannot go stale. */
import { OUTCOMES } from '@isolab/collector';
import { KNOWN_LEVELS } from '@isolab/contract';
import { ENGINES, type Engine, nameOf, originWords } from '@isolab/engines';
import { loadCheckers } from 'isolab';
import { builtInLevel, printAxiom } from '@isolab/levels';
import { type ListedProgram, programsIn, readTools } from '@isolab/experiments';
import { ALL_FORMATS } from '@isolab/formats';
import { fileURLToPath } from 'node:url';
import { packagesTable } from './architecture-picture.ts';
import { anomaliesByLevel } from './anomaly-table.ts';
import { markdownTable } from './markdown-table.ts';
import { ringsAsMarkdown } from './rings.ts';
import { speedInShort, speedTables } from './speed-table.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const infos = (await loadCheckers()).map(({ checker }) => checker.info);

/** The generated tables, and the page that holds each. */
export const TABLE_PAGES = {
  formats: 'docs/formats.md',
  levels: 'docs/levels.md',
  checkers: 'docs/checkers.md',
  tools: 'docs/tools.md',
  drivers: 'docs/drivers.md',
  engines: 'docs/engines.md',
  'repeatable-read': 'docs/repeatable-read.md',
  speed: 'docs/speed.md',
  'speed-in-short': 'README.md',
  packages: 'docs/architecture.md',
  rings: 'docs/architecture.md',
} as const;

export type TableName = keyof typeof TABLE_PAGES;

/** A page with its table made again. */
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
      ['level', 'also called', 'implies', 'what it asks for', 'definition'],
      KNOWN_LEVELS.map(({ name, aliases, implies, summary }) => [
        `\`${name}\``,
        aliases.join(', '),
        implies.map((weaker) => `\`${weaker}\``).join(', '),
        summary,
        definitionOf(name),
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
  tools: publishedPrograms,
  drivers: errorsOfDatabases,
  engines: enginesByName,
  'repeatable-read': anomaliesByLevel,
  speed: speedTables,
  'speed-in-short': speedInShort,
  packages: () => packagesTable(ROOT),
  rings: ringsAsMarkdown,
};

/** A table for each driver: which errors are aborts, and which leave the outcome open. */
function errorsOfDatabases(): string {
  const sections = OUTCOMES.map(({ database, rows }) => {
    const cells = rows.map(({ code, inStatement, atCommit, says }) => [`\`${code}\``, inStatement, atCommit, says]);
    return `### ${database}\n\n${markdownTable(['code', 'in a statement', 'at COMMIT', 'what it says'], cells)}`;
  });
  return `\n${sections.join('\n\n')}\n`;
}

/** Claims of each database, and its releases. */
function enginesByName(): string {
  const names = [...new Set(ENGINES.map(({ name }) => name))];
  const sections = names.map((name) => {
    const releases = ENGINES.filter((engine) => engine.name === name);
    const cells = releases.map((engine) => [
      `\`${nameOf(engine)}\``,
      originWords(engine),
      [...engine.needs, ...(engine.clients ?? []).map((client) => `npm package ${client}`)].join(', '),
      (engine.violations ?? []).map(violationWords).join('; '),
    ]);
    const table = markdownTable(['engine', 'from', 'needs', 'known to violate'], cells);
    return `## ${releases[0]!.title}\n\n${factsOf(releases)}\n\n${table}`;
  });
  return `\n${sections.join('\n\n')}\n`;
}

/** Claims of the releases of a database by its levels, their features, and the options of their addresses. */
function factsOf(releases: readonly Engine[]): string {
  const { options } = releases[0]!;
  const choices = Object.entries(options.choices ?? {}).map(
    ([name, values]) =>
      `- Option \`${name}\`: ${values.map((value) => `\`${value}\``).join(', ')}; the first if absent`,
  );
  const settings = options.settings ? ['- Options are settings of the server: numbers, `on` and `off`'] : [];
  return [
    ...said(releases, ({ isolations }) => isolations.map(claimWords)),
    ...said(releases, ({ data }) => [`- Workloads of ${data.join(', ')}`]),
    ...choices,
    ...settings,
    ...said(releases, ({ documentation: url }) => (url === undefined ? [] : [`- Documentation: <${url}>`])),
  ].join('\n');
}

const claimWords = ({ name, claims, claimsWith }: Engine['isolations'][number]): string =>
  `- \`${name}\` claims \`${claims}\`${claimsWith ? `, and \`${claimsWith.claims}\` with \`${claimsWith.option}=on\`` : ''}`;

/** Statements about the releases, each line once, with its releases if it is not about all. */
function said(releases: readonly Engine[], linesOf: (engine: Engine) => readonly string[]): string[] {
  return [...new Set(releases.flatMap(linesOf))].map((line) => {
    const about = releases.filter((engine) => linesOf(engine).includes(line));
    return about.length === releases.length ? line : `${line} (${about.map((one) => `\`${nameOf(one)}\``).join(', ')})`;
  });
}

const violationWords = ({ level, what, link }: NonNullable<Engine['violations']>[number]): string =>
  `\`${level}\`: ${what}${link === null ? '' : ` ([described](${link}))`}`;

const TOOLS = fileURLToPath(new URL('../../../../benchmarks/tools.json', import.meta.url));

/** A table of all programs, then the description of each. */
function publishedPrograms(): string {
  const programs = programsIn(readTools([TOOLS], 'isolab'));
  const table = markdownTable(
    ['series', 'program', 'is looked for as', 'reads', 'decides', 'answers'],
    programs.flatMap(({ name, about, ways }) =>
      ways.map((way) => [
        `\`tool:${way.name}\``,
        about?.title ?? name,
        `\`${way.command[0]}\``,
        `\`${way.format}\``,
        way.levels.map((level) => `\`${level}\``).join(', '),
        way.answers,
      ]),
    ),
  );
  return [table, ...programs.map(aboutProgram)].join('\n\n');
}

function aboutProgram({ name, about }: ListedProgram): string {
  if (about === null) return `### ${name}`;
  const { title, paper, source, needs, setUp, errs } = about;
  return [
    `### ${title}`,
    `${paper}. <${source}>`,
    [`- Needs: ${needs}.`, `- Set-up: ${setUp}`, ...errs.map((error) => `- Errs: ${error}`)].join('\n'),
  ].join('\n\n');
}

/** The axioms of a level with everything that it includes, one a line. */
function definitionOf(name: string): string {
  const { axioms, allows, eachKeySatisfies } = builtInLevel(name)!;
  const lines = [
    ...(allows.length === 0 ? [] : [`allows ${allows.join(', ')}`]),
    ...(eachKeySatisfies === null ? [] : [`for each key satisfies ${eachKeySatisfies.name}`]),
    ...axioms.map(printAxiom),
  ];
  return lines.map((line) => `\`${line}\``).join('<br>');
}
