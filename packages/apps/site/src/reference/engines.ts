/** References of databases: the engines, and the errors that end a transaction. */
import { OUTCOMES } from '@isolab/collector';
import { ENGINES, type Engine, nameOf, originWords } from '@isolab/engines';
import { markdownTable } from './markdown-table.ts';

/** Table per driver: errors that are aborts, and errors that leave the outcome unknown. */
export const errorReference = (): string =>
  OUTCOMES.map(({ database, rows }) => {
    const cells = rows.map(({ code, inStatement, atCommit, says }) => [`\`${code}\``, inStatement, atCommit, says]);
    return `### ${database}\n\n${markdownTable(['code', 'in a statement', 'at COMMIT', 'meaning'], cells)}`;
  }).join('\n\n');

/** Claims of each database, and its releases. */
export function engineReference(): string {
  const names = [...new Set(ENGINES.map(({ name }) => name))];
  return names
    .map((name) => {
      const releases = ENGINES.filter((engine) => engine.name === name);
      const cells = releases.map((engine) => [
        `\`${nameOf(engine)}\``,
        originWords(engine),
        [...engine.needs, ...(engine.clients ?? []).map((client) => `npm package ${client}`)].join(', '),
        (engine.violations ?? []).map(violationWords).join('; '),
      ]);
      const table = markdownTable(['engine', 'from', 'needs', 'known to violate'], cells);
      return `## ${releases[0]!.title}\n\n${factsOf(releases)}\n\n${table}`;
    })
    .join('\n\n');
}

/** Claims of the releases about their levels, their features, and the options of their addresses. */
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

/** Statements about the releases, each once, with its releases unless it applies to all. */
function said(releases: readonly Engine[], linesOf: (engine: Engine) => readonly string[]): string[] {
  return [...new Set(releases.flatMap(linesOf))].map((line) => {
    const about = releases.filter((engine) => linesOf(engine).includes(line));
    return about.length === releases.length ? line : `${line} (${about.map((one) => `\`${nameOf(one)}\``).join(', ')})`;
  });
}

const violationWords = ({ level, what, link }: NonNullable<Engine['violations']>[number]): string =>
  `\`${level}\`: ${what}${link === null ? '' : ` ([described](${link}))`}`;
