import { FormatError } from '@isolab/formats';
import { Command, CommanderError, Option } from 'commander';
import { createRequire } from 'node:module';
import { ExitCode, UsageError } from './exit.ts';
import { type Printer, terminalPrinter } from './print.ts';

/** Runs one command line and returns its exit code. Whatever goes wrong is one line on standard error. */
export async function run(args: readonly string[], printer: Printer = terminalPrinter()): Promise<number> {
  let exitCode: number = ExitCode.Satisfied;
  const program = describeCommands(printer, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportError(error, args, printer);
  }
}

function reportError(error: unknown, args: readonly string[], printer: Printer): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.Satisfied : ExitCode.Failed; // commander has said why
  const expected = error instanceof FormatError || error instanceof UsageError || error instanceof RangeError;
  const message = error instanceof Error ? error.message : String(error);
  printer.note(`isolab: ${message}${expected ? '' : ' (this is a mistake of isolab; please report it)'}`);
  if (args.includes('--verbose') && error instanceof Error) printer.note(error.stack ?? '');
  return ExitCode.Failed;
}

function describeCommands(printer: Printer, exit: (code: number) => void): Command {
  const program = new Command('isolab')
    .description('Black-box checkers of database isolation levels.')
    .version(version(), '-V, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => printer.out(text.trimEnd()),
      writeErr: (text) => printer.note(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, 'isolab: ')),
    })
    .addHelpText(
      'after',
      `\nExit codes: 0 satisfied, 1 violated, 2 unknown, 3 a wrong call, wrong input or an internal error.`,
    );

  const output = new Option('--output <form>', 'how to print the result').choices(['text', 'json']).default('text');
  const command = (usage: string, description: string): Command =>
    program.command(usage).description(description).option('--verbose', 'show the stack of an error').addOption(output);
  const reads = (reading: Command): Command =>
    reading
      .option('--format <name>', 'the format of the input', 'auto')
      .addOption(
        new Option('--failed-statements <reading>', 'what a failed statement in a committed transaction means')
          .choices(['published', 'rollback'])
          .default('published'),
      )
      .addOption(
        new Option('--initial-transaction <reading>', 'whether an explicit initial transaction precedes everything')
          .choices(['ordinary', 'first'])
          .default('ordinary'),
      );

  reads(command('stats <path...>', 'what is in a history, and how much of it is conclusive')).action(
    async (paths, flags) => {
      exit(await (await import('./commands/stats.ts')).stats(paths, flags, printer));
    },
  );
  reads(command('check <path...>', 'whether a history satisfies a level'))
    .requiredOption('-l, --level <level>', 'the level, or all')
    .option('--allow-empty', 'check a history without operations')
    .action(async (paths, flags) => {
      exit(await (await import('./commands/check.ts')).check(paths, flags, printer));
    });
  reads(command('convert <path> <out>', 'write a history in another format; lossless, or refuses'))
    .option('--to <format>', 'the format to write')
    .option(
      '--allow-lossy [names]',
      'write although something is lost: all of it, or what is named, separated by commas',
    )
    .option('--force', 'write into a directory that is not empty')
    .action(async (path, out, flags) => {
      exit(await (await import('./commands/convert.ts')).convert(path, out, flags, printer));
    });
  command('levels', 'the isolation levels').action(async (flags) => {
    exit((await import('./commands/levels.ts')).levels(flags, printer));
  });
  command('formats', 'the file formats').action(async (flags) => {
    exit((await import('./commands/formats.ts')).formats(flags, printer));
  });
  command('tour', 'what isolab does, on a small history that comes with it').action(async () => {
    exit(await (await import('./commands/tour.ts')).tour(run, printer));
  });
  return program;
}

const version = (): string => (createRequire(import.meta.url)('../package.json') as { version: string }).version;
