/** docs/commands.md: the help of every command, as the command line prints it. */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../cli/dist/main.js', import.meta.url));

const help = (...command: readonly string[]): string =>
  spawnSync(process.execPath, [MAIN, ...command, '--help'], { encoding: 'utf8' }).stdout.trim();

/** Names of the commands in the order in which the help lists them. */
const commandNames = (overview: string): string[] =>
  [...overview.slice(overview.indexOf('Commands:')).matchAll(/^ {2}([a-z][a-z-]*) /gm)]
    .map(([, name]) => name!)
    .filter((name) => name !== 'help');

export function commandReference(): string {
  const overview = help();
  const block = (text: string): string => `\`\`\`text\n${text}\n\`\`\``;
  const sections = commandNames(overview).map((name) => `## isolab ${name}\n\n${block(help(name))}`);
  return `# Commands\n\nThe help of every command, as \`isolab --help\` prints it. \`npm run generate\` writes this page.\n\n${block(overview)}\n\n${sections.join('\n\n')}\n`;
}
