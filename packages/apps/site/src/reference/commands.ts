/** The reference of the command: the help of every subcommand, as the command line prints it. */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../cli/isolab.cjs', import.meta.url));

const help = (...command: readonly string[]): string =>
  spawnSync(process.execPath, [MAIN, ...command, '--help'], { encoding: 'utf8' }).stdout.trim();

const block = (text: string): string => `\`\`\`text\n${text}\n\`\`\``;

export function commandReference(): string {
  const overview = help();
  const listed = overview.slice(overview.indexOf('Commands:')).matchAll(/^ {2}([a-z][a-z-]*) /gm);
  const names = [...listed].map(([, name]) => name!).filter((name) => name !== 'help');
  return [block(overview), ...names.map((name) => `## isolab ${name}\n\n${block(help(name))}`)].join('\n\n');
}
