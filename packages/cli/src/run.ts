import { Command } from 'commander';
import { ExitCode, Ledger } from './exit.ts';
import { type CommandModule, choice, option } from './options.ts';
import { outputOption, outputsAsked } from './output/asked.ts';
import { version } from './own-package.ts';
import { type Printer, gated } from './print.ts';
import { reportError } from './report-error.ts';

/** The commands in the order of the help; only the one that runs is loaded. */
const COMMANDS: Readonly<Record<string, () => Promise<{ readonly command: CommandModule }>>> = {
  stats: () => import('./commands/stats.ts'),
  check: () => import('./commands/check.ts'),
  compare: () => import('./commands/compare.ts'),
  shrink: () => import('./commands/shrink.ts'),
  view: () => import('./commands/view.ts'),
  playground: () => import('./commands/playground.ts'),
  verify: () => import('./commands/verify.ts'),
  convert: () => import('./commands/convert.ts'),
  generate: () => import('./commands/generate.ts'),
  collect: () => import('./commands/collect.ts'),
  run: () => import('./commands/run.ts'),
  record: () => import('./commands/record.ts'),
  watch: () => import('./commands/watch.ts'),
  hunt: () => import('./commands/hunt.ts'),
  field: () => import('./commands/field.ts'),
  'test-plugin': () => import('./commands/test-plugin.ts'),
  'driver-test': () => import('./commands/driver-test.ts'),
  reproduce: () => import('./commands/reproduce.ts'),
  hermitage: () => import('./commands/hermitage.ts'),
  engines: () => import('./commands/engines.ts'),
  elle: () => import('./commands/elle.ts'),
  bench: () => import('./commands/bench.ts'),
  'bench-worker': () => import('./commands/bench-worker.ts'),
  'bench-diff': () => import('./commands/bench-diff.ts'),
  report: () => import('./commands/report.ts'),
  datasets: () => import('./commands/datasets.ts'),
  workloads: () => import('./commands/workloads.ts'),
  levels: () => import('./commands/levels.ts'),
  checkers: () => import('./commands/checkers.ts'),
  tools: () => import('./commands/tools.ts'),
  formats: () => import('./commands/formats.ts'),
  new: () => import('./commands/new.ts'),
  tour: () => import('./commands/tour.ts'),
};

/** Runs one command line and returns its exit code. Whatever goes wrong is one line on standard error. */
export async function run(args: readonly string[], ungated: Printer): Promise<number> {
  const printer = gated(ungated, args);
  const ledger = new Ledger();
  const judged = (code: number): void => {
    ledger.add(code);
    printer.judged(code);
  };
  try {
    const asked = Object.hasOwn(COMMANDS, args[0] ?? '') ? [COMMANDS[args[0]!]!] : Object.values(COMMANDS);
    const modules = await Promise.all(asked.map((load) => load()));
    const program = describeProgram(printer);
    for (const { command } of modules)
      describeCommand(program, command).action(async (...given) => {
        const words = wordsOf(command, given.slice(0, -1)); // the last one is commander's own object
        ledger.add(await command.run(...([...words, { ...printer, judged }, run] as never[])));
      });
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (ledger.code === ExitCode.Violated) printer.note('isolab: A violation was found before what follows.');
    ledger.add(reportError(error, args.includes('--verbose'), printer));
  }
  return ledger.code;
}

function describeProgram(printer: Printer): Command {
  return new Command('isolab')
    .description('Black-box checkers of database isolation levels.')
    .version(version(), '-V, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => printer.out(text.trimEnd()),
      writeErr: (text) => printer.note(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, 'isolab: ')),
    })
    .addHelpText('after', EXIT_CODES);
}

const EXIT_CODES = `
Exit codes of every command:
  0  everything is done, and nothing that was judged is violated
  1  a violation was found, whatever else happened
  2  unknown: no verdict, or cut short by a signal, a limit or a closed pipe
  3  failed: a wrong call, wrong input, output that cannot be written, or an internal error`;

export function describeCommand(
  program: Command,
  { usage, summary, examples, options, outputs = [], hasFiles = false }: CommandModule,
): Command {
  const described = program
    .command(usage)
    .description(summary)
    .addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`)
    .addOption(option('--verbose', 'show the stack of an error, and what a check did'))
    .addOption(
      hasFiles
        ? outputOption('text', 'json', ...outputs)
        : choice('--output <form>', 'choose how to print the result', 'text', 'json', ...outputs),
    );
  for (const each of options) described.addOption(each);
  return described;
}

/** The words of a call, whose last are the flags: of several outputs what is printed, and what goes into files. */
function wordsOf({ hasFiles = false }: CommandModule, given: readonly unknown[]): readonly unknown[] {
  if (!hasFiles) return given;
  const flags = given.at(-1) as { readonly output: string | readonly string[] };
  return [...given.slice(0, -1), { ...flags, ...outputsAsked(flags.output, 'text') }];
}
