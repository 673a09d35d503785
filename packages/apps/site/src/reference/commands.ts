/** Reference of the command: the help of every subcommand, as the command line prints it. */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../cli/isolab.cjs', import.meta.url));

const help = (...command: readonly string[]): string =>
  spawnSync(process.execPath, [MAIN, ...command, '--help'], { encoding: 'utf8' }).stdout.trim();

const block = (text: string): string => `\`\`\`text\n${text}\n\`\`\``;

export function commandReference(): string {
  const overview = help();
  const sections = [...overview.matchAll(/^ {2}([a-z]+) {2}/gm)].flatMap(([, name]) => {
    const text = help(name!);
    const further = [...text.matchAll(/^ {2}isolab ([a-z]+(?: [a-z]+)?) {2}/gm)].map(([, words]) => words!);
    return [section(name!, text), ...further.map((words) => section(words, help(...words.split(' '))))];
  });
  return [block(overview), ...sections].join('\n\n');
}

const section = (name: string, text: string): string => `## isolab ${name}\n\n${block(text)}`;
