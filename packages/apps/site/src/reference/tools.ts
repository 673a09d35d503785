/** Reference of published programs: a table of all, then the description of each. */
import { fileURLToPath } from 'node:url';
import { type ListedProgram, programsIn, readTools } from '@isolab/experiments';
import { markdownTable } from './markdown-table.ts';

const TOOLS = fileURLToPath(new URL('../../../../../benchmarks/tools.json', import.meta.url));

export function toolReference(): string {
  const programs = programsIn(readTools([TOOLS], 'isolab'));
  const table = markdownTable(
    ['series', 'program', 'command', 'reads', 'decides', 'answers'],
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
