import type { CommandModule } from './terminal/options.ts';

interface Row {
  readonly name: string;
  /** Heading in the help; empty for a command that only the help of the command before it lists. */
  readonly group: string;
  /** Arguments after the name, such as `<path...>`. */
  readonly words: string;
  readonly summary: string;
  /** Page of docs/ about the command. */
  readonly page: string;
}

export interface ListedCommand extends Row {
  readonly load: () => Promise<{ readonly command: CommandModule }>;
}

const row = (group: string, name: string, words: string, summary: string, page: string): Row => ({
  name,
  group,
  words,
  summary,
  page,
});

const LOAD: Readonly<Record<string, ListedCommand['load']>> = {
  check: () => import('./commands/check.ts'),
  serve: () => import('./commands/serve.ts'),
  mcp: () => import('./commands/mcp.ts'),
  verify: () => import('./commands/verify.ts'),
  elle: () => import('./commands/elle.ts'),
  explain: () => import('./commands/explain.ts'),
  stats: () => import('./commands/stats.ts'),
  levels: () => import('./commands/levels.ts'),
  tour: () => import('./commands/tour.ts'),
  collect: () => import('./commands/collect.ts'),
  run: () => import('./commands/run.ts'),
  generate: () => import('./commands/generate.ts'),
  convert: () => import('./commands/convert.ts'),
  hunt: () => import('./commands/hunt.ts'),
  'hunt board': () => import('./commands/hunt-board.ts'),
  'hunt get': () => import('./commands/hunt-get.ts'),
  'hunt night': () => import('./commands/hunt-night.ts'),
  merge: () => import('./commands/merge.ts'),
  'hunt merge': () => import('./commands/hunt-merge.ts'),
  reproduce: () => import('./commands/reproduce.ts'),
  hermitage: () => import('./commands/hermitage.ts'),
  record: () => import('./commands/record.ts'),
  predict: () => import('./commands/predict.ts'),
  watch: () => import('./commands/watch.ts'),
  bench: () => import('./commands/bench.ts'),
  'bench worker': () => import('./commands/bench-worker.ts'),
  'bench diff': () => import('./commands/bench-diff.ts'),
  'bench report': () => import('./commands/bench-report.ts'),
  'bench datasets': () => import('./commands/bench-datasets.ts'),
  list: () => import('./commands/list.ts'),
  new: () => import('./commands/new.ts'),
  test: () => import('./commands/test.ts'),
};

/** Commands in the order of the help. Only the requested command is loaded. */
export const COMMANDS: Readonly<Record<string, ListedCommand>> = Object.fromEntries(
  [
    row('Check', 'check', '<path...>', 'check histories against isolation levels', 'levels'),
    row('', 'serve', '', 'check the histories of requests on standard input', 'ci'),
    row('', 'mcp', '', 'offer checks and explanations to assistants (Model Context Protocol)', 'mcp'),
    row('', 'merge', '<results...>', 'put the results of all shards of a history together', 'scale'),
    row('Check', 'verify', '<path> <certificate>', 'verify the certificate of a verdict', 'certificates'),
    row('Check', 'elle', '<path...>', 'run Elle, knossos and Jepsen’s checkers, like elle-cli', 'jepsen'),
    row(
      'Explain',
      'explain',
      '<path|name> [out]',
      'explain a violation or a name, as a page or a small history',
      'tutorial',
    ),
    row('Explain', 'stats', '<path...>', 'count the contents of a history and their conclusive share', 'tutorial'),
    row('Explain', 'levels', '<action> <levels...>', 'show, compare or place isolation levels', 'levels'),
    row('Explain', 'tour', '', 'show isolab on small histories of a real database', 'tutorial'),
    row('Collect', 'collect', '<out>', 'run a workload on a database, record the history', 'drivers'),
    row('Collect', 'run', '<out>', 'collect a history, check the database’s claims', 'drivers'),
    row('Collect', 'generate', '<workload> <out>', 'write a history of the simulated database', 'plugin'),
    row('Collect', 'convert', '<path> <out>', 'write a history in another format', 'formats'),
    row('Hunt', 'hunt', '[databases...]', 'collect and check histories until one shows a violation', 'field'),
    row('', 'hunt board', '[hunts...]', 'add findings of hunts to the board', 'field'),
    row('', 'hunt get', '<engines...>', 'download database engines before a hunt', 'engines'),
    row('', 'hunt merge', '<folders...>', 'put the folders of shards of a hunt together', 'field'),
    row('', 'hunt night', '<memory> <hunt>', 'add a hunt to the memory of all nights, with a page and a badge', 'ci'),
    row('Hunt', 'reproduce', '<path>', 'replay a violation as a schedule of statements', 'reproduce'),
    row('Hunt', 'hermitage', '[file]', 'show the anomalies that each level of a database allows', 'hermitage'),
    row(
      'Record and watch',
      'record',
      '<out> [command...]',
      'record an application through a PostgreSQL proxy',
      'record',
    ),
    row('Record and watch', 'predict', '<path> [command...]', 'predict what could happen at a weaker level', 'predict'),
    row('Record and watch', 'watch', '<sources...>', 'check files, pipes, sockets or Redis as they grow', 'watch'),
    row('Experiment', 'bench', '[experiments...]', 'run experiments of papers, or your own', 'speed'),
    row('', 'bench worker', '', 'run cells for isolab bench --queue on another machine', 'speed'),
    row('', 'bench diff', '<results> <others>', 'compare the results of two runs', 'speed'),
    row('', 'bench report', '[experiments...]', 'write pages or figures of the results', 'speed'),
    row('', 'bench datasets', '<action> [words...]', 'get, verify or add named histories', 'speed'),
    row('Extend', 'list', '<kind> [names...]', 'list anomalies, checkers, engines, formats, levels …', 'commands'),
    row('Extend', 'new', '<kind> <name>', 'create a plug-in, a lab, a recorder or a playground', 'plugin'),
    row('Extend', 'test', '[file]', 'test a plug-in, or the driver of a database', 'plugin'),
  ].map((listed) => [listed.name, { ...listed, load: LOAD[listed.name]! }]),
);

/** Name of the command in a command line, of one word or two. */
export function commandIn(args: readonly string[]): string | undefined {
  const two = args.slice(0, 2).join(' ');
  return Object.hasOwn(COMMANDS, two) ? two : args.find((word) => Object.hasOwn(COMMANDS, word));
}
