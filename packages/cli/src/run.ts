import { Command, Option } from 'commander';
import { ExitCode, Ledger, UsageError } from './exit.ts';
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
    await describeCommands({ ...printer, judged }, (code) => ledger.add(code)).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (ledger.code === ExitCode.Violated) printer.note('isolab: A violation was found before what follows.');
    ledger.add(reportError(error, args.includes('--verbose'), printer));
  }
  return ledger.code;
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
      `
Exit codes of every command:
  0  all of it is done, and nothing that was judged is violated
  1  a violation was shown, whatever else happened
  2  unknown: no verdict, or cut short by a signal, a limit or a closed pipe
  3  failed: a wrong call, wrong input, output that cannot be written, or an internal error`,
    );

  const output = (...more: readonly string[]): Option =>
    new Option('--output <form>', 'how to print the result').choices(['text', 'json', ...more]).default('text');
  const command = (usage: string, description: string, ...more: readonly string[]): Command =>
    program
      .command(usage)
      .description(description)
      .option('--verbose', 'show the stack of an error')
      .addOption(output(...more));
  const reads = (reading: Command): Command =>
    reading
      .option('--format <name>', 'the format of the input', 'auto')
      .addOption(
        new Option('--failed-statements <reading>', 'what a failed statement in a committed transaction means')
          .choices(['published', 'rollback'])
          .default('published'),
      )
      .addOption(
        new Option(
          '--initial-transaction <reading>',
          'which transaction precedes all others: what the file states, the first one, or none',
        )
          .choices(['stated', 'first', 'ordinary'])
          .default('stated'),
      );

  const limited = (running: Command): Command =>
    running
      .option(
        '--time <time>',
        'stop reading after this long, and a checker with the shrinking after it: 500ms, 60s, 10m',
      )
      .option('--memory <size>', 'stop a checker that takes more: 500MB, 4GB')
      .option('--steps <n>', 'stop a checker after this many steps, which do not depend on the machine')
      .option('--place <place>', 'run checkers in this thread, in a worker or in a process of their own');
  /** Not commander's requiredOption, which complains before a misspelt --levle is found to be unknown. */
  const needsLevel = (checking: Command, help: string): Command =>
    checking.option('-l, --level <level>', help).hook('preAction', (_, action) => {
      if (action.opts<{ readonly level?: string }>().level === undefined)
        throw new UsageError('Which level? Say --level LEVEL; isolab levels lists them.');
    });
  const collect = (value: string, previous: readonly string[]): string[] => [...previous, value];

  reads(command('stats <path...>', 'what is in a history, and how much of it is conclusive')).action(
    async (paths, flags) => {
      exit(await (await import('./commands/stats.ts')).stats(paths, flags, printer));
    },
  );
  const checks = (checking: Command): Command =>
    checking
      .option('-c, --checker <name>', 'weave, plume, dbcop …, a file that exports one, or a package')
      .option('--variant <name>', 'a variant of that checker')
      .option('--option <name=value>', 'an option of that checker', collect, [])
      .option('--find-all', 'report every anomaly, each kind once with how often it was found')
      .option('--shrink', 'tell the violation by the smallest part of the history that shows it')
      .option(
        '--certificate <file>',
        'write the evidence for the verdict, for isolab verify; exit with 2 if it has none',
      )
      .option('--summary <file>', 'append the verdict as Markdown to a file, such as "$GITHUB_STEP_SUMMARY"')
      .option(...ALLOW_VACUOUS)
      .option(...ALLOW_CUT_OFF);
  const check = command(
    'check <path...>',
    'whether a history satisfies a level, or which levels it satisfies',
    ...VERDICT_OUTPUTS,
  );
  needsLevel(checks(limited(reads(check))), 'the level, several separated by commas, or all')
    .option('--force', 'replace a file that is there by the certificate, whatever it is')
    .action(async (paths, flags) => {
      exit(await (await import('./commands/check.ts')).check(paths, flags, printer));
    });
  const compare = command('compare <path...>', 'several checkers on the same histories; a disagreement is an error');
  needsLevel(limited(reads(compare)), 'the level')
    .option(...ALLOW_VACUOUS)
    .option(...ALLOW_CUT_OFF)
    .option(
      '--checkers <names>',
      'separated by commas, each perhaps with a variant: plume:no-vectors; all but the baselines if absent; all',
    )
    .action(async (paths, flags) => {
      exit(await (await import('./commands/compare.ts')).compare(paths, flags, printer));
    });
  const writes = (writing: Command): Command =>
    writing
      .option('--to <format>', 'the format to write')
      .option(
        '--allow-lossy [names]',
        'write although something is lost: all of it, or what is named, separated by commas',
      )
      .option('--force', 'replace what is there, but never what is read');
  const told = (telling: Command): Command =>
    needsLevel(limited(reads(telling)), 'the level')
      .option('-c, --checker <name>', 'the checker to ask')
      .option('--variant <name>', 'a variant of that checker')
      .option('--option <name=value>', 'an option of that checker', collect, []);
  writes(told(command('shrink <path> <out>', 'the smallest part of a history that still violates a level'))).action(
    async (path, out, flags) => {
      exit(await (await import('./commands/shrink.ts')).shrink(path, out, flags, printer));
    },
  );
  told(command('view <path> <out>', 'a page for the browser that shows what went wrong, or why nothing did'))
    .option(...ALLOW_VACUOUS)
    .option(...ALLOW_CUT_OFF)
    .option('--whole', 'show all of the history around the violation, not the smallest part of it')
    .option('--force', 'replace a file that is there, whatever it is')
    .action(async (path, out, flags) => {
      exit(await (await import('./commands/view.ts')).view(path, out, flags, printer));
    });
  command('playground [out]', 'a page that checks histories in the browser: one file, offline')
    .option('--force', 'replace a file that is there, whatever it is')
    .action(async (out = 'isolab-playground.html', flags) => {
      exit(await (await import('./commands/playground.ts')).playground(out, flags, printer));
    });
  reads(command('verify <path> <certificate>', 'whether a certificate proves its verdict about a history')).action(
    async (path, certificate, flags) => {
      exit(await (await import('./commands/verify.ts')).verify(path, certificate, flags, printer));
    },
  );
  writes(reads(command('convert <path> <out>', 'write a history in another format; lossless, or refuses'))).action(
    async (path, out, flags) => {
      exit(await (await import('./commands/convert.ts')).convert(path, out, flags, printer));
    },
  );
  writes(command('generate <workload> <out>', 'run a workload on the simulated database and write the history'))
    .option('--sessions <n>', 'how many clients there are', '20')
    .option('--transactions <n>', 'how many transactions each of them commits', '100')
    .option('-l, --level <level>', 'at which level the database runs', 'serializable')
    .option('--fault <name=probability>', 'something that goes wrong, and how often', collect, [])
    .option('--set <name=value>', 'a parameter of the workload', collect, [])
    .option('--seed <seed>', 'the same seed gives the same history', '1')
    .option('--aborts <probability>', 'how often a client gives up at the end', '0')
    .option('--unknowns <probability>', 'how often a client never learns the outcome', '0')
    .option('--retry', 'attempt an aborted transaction again until it commits')
    .option('--no-times', 'do not record when transactions began and ended')
    .action(async (workload, out, flags) => {
      exit(await (await import('./commands/generate.ts')).generate(workload, out, flags, printer));
    });
  const collects = (collecting: Command): Command =>
    collecting
      .option(
        '--db <address>',
        'embedded, postgres://…, mysql://…, sqlite:FILE, duckdb:FILE, mongodb://…, exec:COMMAND',
        'embedded',
      )
      .option('--isolation <level>', 'by the database’s own name; its strongest one if absent')
      .option('--workload <name>', 'what the clients do; isolab workloads lists them', 'contention')
      .option('--set <name=value>', 'a parameter of the workload', collect, [])
      .option('--sessions <n>', 'how many clients there are', '8')
      .option('--transactions <n>', 'how many transactions each of them commits, on average', '100')
      .option('--seed <seed>', 'for the same requests again', '1')
      .option('--retry', 'attempt an aborted transaction again until it commits')
      .option('--resume', 'continue a history that was interrupted, on the same data')
      .option(
        '--connect-timeout <time>',
        'give up a database that is silent for so long while it is connected to',
        '10s',
      )
      .option('--stall-timeout <time>', 'end when no session was answered for so long', '60s')
      .option('--force', 'overwrite the file');
  collects(command('collect <out>', 'run a workload against a database and record the history')).action(
    async (out, flags) => {
      exit(await (await import('./commands/collect.ts')).collect(out, flags, printer));
    },
  );
  checks(
    limited(
      reads(collects(command('run <out>', 'collect a history and check what the database claims', ...VERDICT_OUTPUTS))),
    ),
  )
    .option('-l, --level <level>', 'another level to check as well; all: what every level says, for information')
    .action(async (out, flags) => {
      exit(await (await import('./commands/run.ts')).run(out, flags, printer));
    });
  reads(command('elle <path...>', 'Elle, with the flags of elle-cli'))
    .option('-m, --model <model>', 'list-append or rw-register', 'auto')
    .option('-c, --consistency-models <model>', 'the model to check, by Elle’s name', 'strict-serializable')
    .option('-a, --anomalies <names>', 'look only for these, separated by commas', '')
    .action(async (paths, flags) => {
      exit(await (await import('./commands/elle.ts')).elle(paths, flags, printer));
    });
  command('bench [experiments...]', 'run experiments of the papers: all, a paper, or one by one')
    .option('--scale <scale>', 'ci, laptop or paper', 'ci')
    .option('--list', 'say what there is, and run nothing')
    .option('--resume', 'keep every result that there is')
    .option('--fresh', 'make all results anew')
    .option('--verify', 'verify every certificate')
    .option('--smallest', 'only the smallest point of each experiment')
    .option('--jobs <n>', 'cells at a time; more than one disturbs the times', '1')
    .option('--seed <n>', 'of the order of the cells', '1')
    .option('--time-limit <seconds>', 'a tighter limit for every cell')
    .option('--memory-limit <megabytes>', 'a tighter limit for every cell')
    .option('--tools <file>', 'which outside checkers there are; benchmarks/tools.json if absent')
    .option('--queue <address>', 'a Redis, redis://HOST:PORT, whose workers run the cells')
    .option('--results <file>', 'where results go; reports/results/SCALE.jsonl if absent')
    .option('--root <folder>', 'where benchmarks/, datasets/ and reports/ are')
    .action(async (experiments, flags) => {
      exit(await (await import('./commands/bench.ts')).bench(experiments, flags, printer));
    });
  command('bench-worker', 'run cells of a queue, for an isolab bench --queue elsewhere, until interrupted')
    .option('--queue <address>', 'the same Redis: redis://HOST:PORT')
    .option('--tools <file>', 'which outside checkers there are; benchmarks/tools.json if absent')
    .option('--root <folder>', 'where benchmarks/ and datasets/ are')
    .action(async (flags) => {
      exit(await (await import('./commands/bench-worker.ts')).benchWorker(flags, printer));
    });
  command('bench-diff <results> <others>', 'whether two runs gave the same verdicts, counts and rankings')
    .option('--tolerance <percent>', 'times that differ by less rank alike', '25')
    .action(async (results, others, flags) => {
      exit((await import('./commands/bench-diff.ts')).benchDiff(results, others, flags, printer));
    });
  command('report', 'pages of the results: figures, tables, and which claims of the papers hold here')
    .option('--scale <scale>', 'ci, laptop or paper', 'ci')
    .option('--png', 'figures as PNG, too; by default where @resvg/resvg-js is installed')
    .option('--no-png', 'no figures as PNG')
    .option('--root <folder>', 'where benchmarks/ and reports/ are')
    .action(async (flags) => {
      exit(await (await import('./commands/report.ts')).report(flags, printer));
    });
  command('datasets <action> [words...]', 'named histories: list, get, verify or add')
    .option('--root <folder>', 'where datasets/ is')
    .option('--id <id>', 'of a dataset to add')
    .option('--title <title>', 'of a dataset to add')
    .option('--database <name>', 'of a dataset to add')
    .option('--figure <name>', 'which it is of')
    .option('--format <name>', 'of its file', 'auto')
    .option('--expect <level=verdict>', 'what is known of it', collect, [])
    .action(async (action, words, flags) => {
      exit(await (await import('./commands/datasets.ts')).datasets(action, words, flags, printer));
    });
  command('workloads', 'the workloads, with their parameters, and what can go wrong').action(async (flags) => {
    exit((await import('./commands/workloads.ts')).workloads(flags, printer));
  });
  command('levels', 'the isolation levels').action(async (flags) => {
    exit((await import('./commands/levels.ts')).levels(flags, printer));
  });
  command('checkers', 'the checkers, with their levels, variants and options').action(async (flags) => {
    exit(await (await import('./commands/checkers.ts')).checkers(flags, printer));
  });
  command('formats', 'the file formats').action(async (flags) => {
    exit((await import('./commands/formats.ts')).formats(flags, printer));
  });
  command('new <what> <name>', 'checker: a package for one of your own, with tests; lab: experiments and datasets')
    .option('--folder <folder>', 'where to make it; a folder of that name, here, if absent')
    .action(async (what, name, flags) => {
      const templates = { folder: new URL('../template/', import.meta.url) };
      exit(await (await import('./commands/new.ts')).createNew(what, name, flags, templates, printer));
    });
  command('tour', 'what isolab does, on a small history that comes with it').action(async () => {
    exit(await (await import('./commands/tour.ts')).tour(run, printer));
  });
  return program;
}

const ALLOW_CUT_OFF = [
  '--allow-cut-off',
  'take a level for satisfied although the collection of the history was cut off',
] as const;

const ALLOW_VACUOUS = [
  '--allow-vacuous',
  'take a level for satisfied although nothing in the history could have violated it',
] as const;

/** What a verdict can be printed as, besides text and JSON. */
const VERDICT_OUTPUTS = ['junit', 'markdown', 'html', 'svg', 'dot'];
