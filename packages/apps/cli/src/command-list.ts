import type { CommandModule } from './options.ts';

/** Entry of a command in the help of isolab, and the loader of the command. */
export interface ListedCommand {
  /** Name and words, as in `check <path...>`. */
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: CommandModule }>;
}

/** Commands in the order of the help; only the command that runs is loaded. */
export const COMMANDS: Readonly<Record<string, ListedCommand>> = {
  stats: {
    usage: 'stats <path...>',
    summary: 'count what is in a history, and how much of it is conclusive',
    load: () => import('./commands/stats.ts'),
  },
  check: {
    usage: 'check <path...>',
    summary: 'check whether a history satisfies a level, or which levels it satisfies',
    load: () => import('./commands/check.ts'),
  },
  compare: {
    usage: 'compare <path...>',
    summary: 'run several checkers on the same histories; a disagreement is an error',
    load: () => import('./commands/compare.ts'),
  },
  shrink: {
    usage: 'shrink <path> <out>',
    summary: 'reduce a violation of a level to a minimal history',
    load: () => import('./commands/shrink.ts'),
  },
  view: {
    usage: 'view <path> <out>',
    summary: 'write a page for the browser that shows what went wrong, or why nothing did',
    load: () => import('./commands/view.ts'),
  },
  playground: {
    usage: 'playground [out]',
    summary: 'write a page that checks histories in the browser: one file, offline',
    load: () => import('./commands/playground.ts'),
  },
  verify: {
    usage: 'verify <path> <certificate>',
    summary: 'verify that a certificate proves its verdict about a history',
    load: () => import('./commands/verify.ts'),
  },
  convert: {
    usage: 'convert <path> <out>',
    summary: 'write a history in another format; refuse if something would be lost',
    load: () => import('./commands/convert.ts'),
  },
  generate: {
    usage: 'generate <workload> <out>',
    summary: 'run a workload on the simulated database and write the history',
    load: () => import('./commands/generate.ts'),
  },
  collect: {
    usage: 'collect <out>',
    summary: 'run a workload against a database and record the history',
    load: () => import('./commands/collect.ts'),
  },
  run: {
    usage: 'run <out>',
    summary: 'collect a history and check what the database claims',
    load: () => import('./commands/run.ts'),
  },
  record: {
    usage: 'record <out> [command...]',
    summary: 'stand between an application and its PostgreSQL, record what it does, and tell which anomalies it met',
    load: () => import('./commands/record.ts'),
  },
  watch: {
    usage: 'watch <sources...>',
    summary:
      'check a running system: judge transactions as they come, from a growing file, - (standard input), http://…, tcp://…, unix:… or redis://…; several sources, or a pattern of files or of streams in Redis, are independent streams',
    load: () => import('./commands/watch.ts'),
  },
  hunt: {
    usage: 'hunt [databases...]',
    summary: 'look for violations in a database: collect and check short histories until one shows something',
    load: () => import('./commands/hunt.ts'),
  },
  field: {
    usage: 'field [hunts...]',
    summary: 'put what hunts found on the board, and write its page anew',
    load: () => import('./commands/field.ts'),
  },
  'test-plugin': {
    usage: 'test-plugin <file>',
    summary:
      'put a plug-in to the test, whatever its kind: a checker, workload, distribution, fault, format, driver, experiment, level or model',
    load: () => import('./commands/test-plugin.ts'),
  },
  'driver-test': {
    usage: 'driver-test',
    summary: 'put a driver of a database to the test; empties its tables isolab_*',
    load: () => import('./commands/driver-test.ts'),
  },
  reproduce: {
    usage: 'reproduce <path>',
    summary:
      'put the statements of a violation to a database as a schedule, and count how often it violates the level again',
    load: () => import('./commands/reproduce.ts'),
  },
  hermitage: {
    usage: 'hermitage [file]',
    summary:
      'show which anomalies a SQL database lets happen at each of its isolation levels, or which levels make the transactions of a file safe, with the statements that show it',
    load: () => import('./commands/hermitage.ts'),
  },
  engines: {
    usage: 'engines [action] [names...]',
    summary: 'list the databases that isolab starts itself, by name and version, or get some ahead',
    load: () => import('./commands/engines.ts'),
  },
  elle: {
    usage: 'elle <path...>',
    summary: 'run Elle, knossos and the checkers of Jepsen, with the flags of elle-cli',
    load: () => import('./commands/elle.ts'),
  },
  bench: {
    usage: 'bench [experiments...]',
    summary: 'run experiments: all, those of a paper, one by one, or in a file of your own',
    load: () => import('./commands/bench.ts'),
  },
  'bench-worker': {
    usage: 'bench-worker',
    summary: 'run cells of a queue, for an isolab bench --queue elsewhere, until interrupted',
    load: () => import('./commands/bench-worker.ts'),
  },
  'bench-diff': {
    usage: 'bench-diff <results> <others>',
    summary: 'compare verdicts, counts and rankings of two runs',
    load: () => import('./commands/bench-diff.ts'),
  },
  report: {
    usage: 'report [experiments...]',
    summary:
      'write pages of the results, which claims of the papers hold here: of all experiments, or of those that are named, as isolab bench names them; or single figures for a paper',
    load: () => import('./commands/report.ts'),
  },
  datasets: {
    usage: 'datasets <action> [words...]',
    summary: 'list, get, verify or add named histories',
    load: () => import('./commands/datasets.ts'),
  },
  workloads: {
    usage: 'workloads',
    summary: 'list the workloads with their parameters, and the faults',
    load: () => import('./commands/workloads.ts'),
  },
  levels: {
    usage: 'levels [action] [levels...]',
    summary:
      'list the isolation levels; show LEVEL prints the definition of one, compare A B looks for histories that tell two apart; place LEVEL says which ones it stands between; a level is a name or a .lvl file',
    load: () => import('./commands/levels.ts'),
  },
  checkers: {
    usage: 'checkers',
    summary: 'list the checkers with their levels, variants and options',
    load: () => import('./commands/checkers.ts'),
  },
  tools: {
    usage: 'tools [name]',
    summary: 'list the published programs that figures compare with, and say which are on the PATH',
    load: () => import('./commands/tools.ts'),
  },
  formats: {
    usage: 'formats',
    summary: 'list the file formats',
    load: () => import('./commands/formats.ts'),
  },
  new: {
    usage: 'new <what> <name>',
    summary:
      'create one file to begin with (checker, workload, distribution, fault, format, driver, experiment, level, model), or a folder of experiments (lab); print a recorder for your application, by its language (recorder)',
    load: () => import('./commands/new.ts'),
  },
  tour: {
    usage: 'tour',
    summary: 'show what isolab does, on small histories of a real database',
    load: () => import('./commands/tour.ts'),
  },
};
