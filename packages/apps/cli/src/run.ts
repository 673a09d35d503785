import process from 'node:process';
import { Command, type Option } from 'commander';
import { COMMANDS, type ListedCommand, commandIn } from './command-list.ts';
import { ExitCode, Ledger } from './terminal/exit.ts';
import { type CommandModule, choice, option } from './terminal/options.ts';
import { outputOption, outputsAsked } from './terminal/outputs-asked.ts';
import { version } from './terminal/own-package.ts';
import { type Printer, gated } from './terminal/print.ts';
import { LAST_VERSION, translated } from './renamed.ts';
import { reportError } from './terminal/report-error.ts';

/** Runs one command line and returns its exit code. Every failure is one line on standard error. */
export async function run(args: readonly string[], ungated: Printer): Promise<number> {
  const printer = gated(ungated, args);
  const ledger = new Ledger();
  const judged = (code: number): void => {
    ledger.add(code);
    printer.judged(code);
  };
  const { args: words, notes } = translated(args);
  if (notes.length > 0) printer.note(`isolab: ${notes.join(', ')}; old spellings are removed in ${LAST_VERSION}.`);
  try {
    const name = commandIn(words) ?? '';
    const [first, second] = name.split(' ');
    const program = describeProgram(second === undefined ? 'isolab' : `isolab ${first}`, printer);
    // For an unknown name, the whole list is needed to suggest the nearest one.
    if (first !== words[0])
      for (const other of Object.keys(COMMANDS)) if (other !== name && !other.includes(' ')) program.command(other);
    if (name !== '') {
      const { command } = await COMMANDS[name]!.load();
      describeCommand(program, name, command).action(async (...given) => {
        const taken = wordsOf(command, given.slice(0, -1)); // the last argument is commander's own object
        ledger.add(await command.run(...([...taken, { ...printer, judged }, run] as never[])));
      });
    }
    await program.parseAsync(second === undefined ? words : words.slice(1), { from: 'user' });
  } catch (error) {
    if (ledger.code === ExitCode.Violated) printer.note('isolab: A violation was found before this error.');
    ledger.add(reportError(error, args.some(isVerbose), printer));
  }
  return ledger.code;
}

export const isVerbose = (word: string): boolean => word === '--verbose' || word === '-v';

function describeProgram(name: string, printer: Printer): Command {
  const program = new Command(name)
    .version(version(), '-V, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => printer.out(text.trimEnd()),
      writeErr: (text) => printer.note(text.trimEnd()),
      outputError: wrongCall('isolab --help lists the commands.'),
      getOutHelpWidth: () => (process.stdout.isTTY ? process.stdout.columns : HELP_WIDTH),
    })
    .configureHelp({ optionDescription });
  program.helpInformation = overview;
  return program;
}

const HELP_WIDTH = 100;

/** Help of isolab: its commands in groups. */
function overview(): string {
  const lines: string[] = [];
  let last = '';
  for (const [name, { group, summary }] of Object.entries(COMMANDS)) {
    if (group === '') continue;
    if (group !== last) lines.push('', `${group}:`);
    last = group;
    lines.push(`  ${name.padEnd(11)}${summary}`);
  }
  return `Usage: isolab COMMAND [options] | isolab COMMAND --help | isolab --version

isolab checks histories of databases against isolation levels.
${lines.join('\n')}

Exit codes of every command:
  0  no checked level is violated; --level all alone: every level is decided
  1  violated: a named level, or a level that the database claims
  2  unknown: no verdict, or cut short by a signal, a limit or a closed pipe
  3  failed: a wrong call, wrong input, unwritable output, or an internal error
`;
}

/** The default of an option is its first choice, which needs no text. */
function optionDescription({ description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const standard = defaultValueDescription ?? (typeof defaultValue === 'string' ? defaultValue : '');
  return argChoices !== undefined || standard === '' ? description : `${description} (default ${standard})`;
}

/** Formats an error of commander in one line with a remedy. */
const wrongCall =
  (advice: string) =>
  (text: string, write: (text: string) => void): void => {
    const found = text
      .trimEnd()
      .replace(/^error: /, 'isolab: ')
      .replace(/\n\(Did you mean (.*)\?\)/, '; did you mean $1?');
    write(`${found}${/[.?]$/.test(found) ? ' ' : '; '}${advice}\n`);
  };

/** Commands that are listed only in the help of another one. */
function furtherOf(name: string): readonly (readonly [string, ListedCommand])[] {
  const after = Object.entries(COMMANDS).slice(Object.keys(COMMANDS).indexOf(name) + 1);
  const end = after.findIndex(([, { group }]) => group !== '');
  return COMMANDS[name]!.group === '' ? [] : after.slice(0, end < 0 ? undefined : end);
}

export function describeCommand(
  program: Command,
  name: string,
  { examples, options, outputs = [], hasFiles = false }: CommandModule,
): Command {
  const { words, summary, page } = COMMANDS[name]!;
  const also = furtherOf(name)
    .map(([other, each]) => `  isolab ${other.padEnd(14)}  ${each.summary}\n`)
    .join('');
  const described = program
    .command(`${name.split(' ').at(-1)} ${words}`)
    .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`)
    .configureOutput({ outputError: wrongCall(`isolab ${name} --help lists its arguments.`) })
    .addHelpText(
      'after',
      `${also === '' ? '' : `\nFurther commands:\n${also}`}\nExamples:\n  ${examples.join('\n  ')}\nMore: docs/${page}.md`,
    )
    .addOption(
      hasFiles
        ? outputOption('text', 'json', ...outputs)
        : choice('--output <form>', 'print', 'text', 'json', ...outputs),
    );
  for (const each of options) described.addOption(each);
  return described.addOption(option('-v, --verbose', 'show stacks of errors, and the work of checkers'));
}

/** Arguments of a call, with the flags last: several outputs are split into the printed one and those for files. */
function wordsOf({ hasFiles = false }: CommandModule, given: readonly unknown[]): readonly unknown[] {
  if (!hasFiles) return given;
  const flags = given.at(-1) as { readonly output: string | readonly string[] };
  return [...given.slice(0, -1), { ...flags, ...outputsAsked(flags.output, 'text') }];
}
