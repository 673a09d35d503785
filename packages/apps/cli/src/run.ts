import { Command } from 'commander';
import { COMMANDS, type ListedCommand } from './command-list.ts';
import { ExitCode, Ledger } from './exit.ts';
import { type CommandModule, choice, option } from './options.ts';
import { outputOption, outputsAsked } from './output/asked.ts';
import { version } from './own-package.ts';
import { type Printer, gated } from './print.ts';
import { reportError } from './report-error.ts';

/** Runs one command line and returns its exit code. Whatever goes wrong is one line on standard error. */
export async function run(args: readonly string[], ungated: Printer): Promise<number> {
  const printer = gated(ungated, args);
  const ledger = new Ledger();
  const judged = (code: number): void => {
    ledger.add(code);
    printer.judged(code);
  };
  try {
    const program = describeProgram(printer);
    const called = commandIn(args);
    // The help of isolab, and a name that it does not know, need the list alone.
    if (called === undefined || called !== args[0])
      for (const [name, each] of Object.entries(COMMANDS)) if (name !== called) listCommand(program, each);
    if (called !== undefined) {
      const { command } = await COMMANDS[called]!.load();
      describeCommand(program, COMMANDS[called]!, command).action(async (...given) => {
        const words = wordsOf(command, given.slice(0, -1)); // the last one is commander's own object
        ledger.add(await command.run(...([...words, { ...printer, judged }, run] as never[])));
      });
    }
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (ledger.code === ExitCode.Violated) printer.note('isolab: A violation was found before what follows.');
    ledger.add(reportError(error, args.includes('--verbose'), printer));
  }
  return ledger.code;
}

/** The command that words are for; without one they are for the program itself. */
const commandIn = (args: readonly string[]): string | undefined => args.find((word) => Object.hasOwn(COMMANDS, word));

function describeProgram(printer: Printer): Command {
  return new Command('isolab')
    .description('Black-box checkers of database isolation levels.')
    .version(version(), '-V, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => printer.out(text.trimEnd()),
      writeErr: (text) => printer.note(text.trimEnd()),
      outputError: wrongCall('isolab --help lists the commands.'),
    })
    .addHelpText('after', EXIT_CODES);
}

const EXIT_CODES = `
Exit codes of every command:
  0  everything is done, and nothing that was judged is violated; of --level all
     alone: it is answered, whichever levels hold
  1  a violation was found of a level that was named or that the database
     claims, whatever else happened
  2  unknown: no verdict, or cut short by a signal, a limit or a closed pipe
  3  failed: a wrong call, wrong input, output that cannot be written, or an internal error`;

const listCommand = (program: Command, { usage, summary }: Pick<ListedCommand, 'usage' | 'summary'>): Command =>
  program
    .command(usage)
    .description(summary)
    .configureOutput({ outputError: wrongCall(`isolab ${usage.split(' ')[0]} --help lists what it takes.`) })
    .addOption(option('--verbose', 'show the stack of an error, and what a check did'));

/** Writes an error of commander in one line, with what to do about it. */
const wrongCall =
  (advice: string) =>
  (text: string, write: (text: string) => void): void => {
    const found = text
      .trimEnd()
      .replace(/^error: /, 'isolab: ')
      .replace(/\n\(Did you mean (.*)\?\)/, '; did you mean $1?');
    write(`${found}${/[.?]$/.test(found) ? ' ' : '; '}${advice}\n`);
  };

export function describeCommand(
  program: Command,
  listed: Pick<ListedCommand, 'usage' | 'summary'>,
  { examples, options, outputs = [], hasFiles = false }: CommandModule,
): Command {
  const described = listCommand(program, listed)
    .addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`)
    .addOption(
      hasFiles
        ? outputOption('text', 'json', ...outputs)
        : choice('--output <form>', 'choose how to print the result', 'text', 'json', ...outputs),
    );
  for (const each of options) described.addOption(each);
  return described;
}

/**
 * Words of a call, with the flags as the last one: several outputs are split into the printed one and those for files.
 */
function wordsOf({ hasFiles = false }: CommandModule, given: readonly unknown[]): readonly unknown[] {
  if (!hasFiles) return given;
  const flags = given.at(-1) as { readonly output: string | readonly string[] };
  return [...given.slice(0, -1), { ...flags, ...outputsAsked(flags.output, 'text') }];
}
