import { visibleLine } from 'isolab/skin';
import { findLevel } from 'isolab/check';
import { generate as generateHistory } from 'isolab';
import { ExitCode } from '../terminal/exit.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { progressLine } from '../terminal/progress.ts';
import { parseOptions, probability, wholeNumber } from '../terminal/words.ts';
import { historyFormatFor, writeHistory } from './write.ts';
import {
  type CommandFlags,
  type CommandModule,
  LEVEL,
  RETRY,
  SEED,
  SET,
  TRANSACTIONS,
  WRITING,
  option,
  repeated,
  skip,
} from '../terminal/options.ts';

const OPTIONS = [
  ...WRITING,
  option('--sessions <n>', 'run N clients', '20'),
  TRANSACTIONS('commit N transactions per client', '100'),
  LEVEL('run the database at this level', 'serializable'),
  repeated('--faults <name=probability>', 'inject a fault; abort and unknown are faults of clients'),
  SET,
  SEED('set the seed: the same seed gives the same history', '1'),
  RETRY,
  skip('times'),
  option('--timestamps', 'write the timestamps by which the database orders transactions'),
] as const;
export type GenerateFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: [
    'isolab generate general history.jsonl --seed 7',
    'isolab generate list-append history.jsonl --level snapshot-isolation --set keys=20',
  ],
  options: OPTIONS,
  run: generate,
};

/** `isolab generate`: runs a workload on the simulated database and writes the history. */
export async function generate(name: string, out: string, flags: GenerateFlags, printer: Printer): Promise<number> {
  const { abort: aborts = 0, unknown: unknowns = 0, ...faults } = parseFaults(flags.faults);
  const options = {
    level: findLevel(flags.level)?.level.name ?? flags.level,
    sessions: wholeNumber('--sessions', flags.sessions),
    transactions: wholeNumber('--transactions', flags.transactions),
    seed: flags.seed,
    faults,
    aborts,
    unknowns,
    retry: flags.retry === true,
    times: !flags.skip.includes('times'),
    timestamps: flags.timestamps === true,
  };
  const format = await historyFormatFor(out, [], flags);
  const line = progressLine((done, total) => `simulating ${name}: ${done} of ${total} transactions`);
  const parameters = parseOptions(flags.set, '--set');
  const { history, ...made } = await generateHistory({
    ...options,
    workload: name,
    parameters,
    onProgress: line.show,
  }).finally(line.clear);
  // A format that holds less than the simulation records is written all the same, and the losses are printed.
  const writing = { allowLossy: true, ...flags };
  const losses = await writeHistory(history, `This history of ${name}`, out, format, writing, printer);
  if (losses === null) return ExitCode.Failed;
  if (out === '-') return ExitCode.Satisfied;
  const operations = history.opKind.length;
  if (flags.output === 'json')
    printer.out(toJson({ workload: name, ...options, ...made, operations, out, format: format.name }));
  else {
    const { committed, aborted, unknown } = made;
    const counts = [count(committed, 'committed transaction')];
    if (aborted > 0) counts.push(`${aborted} aborted`);
    if (unknown > 0) counts.push(`${unknown} of unknown outcome`);
    printer.out(`${visibleLine(out)}: ${counts.join(', ')}, ${count(operations, 'operation')}`);
  }
  return ExitCode.Satisfied;
}

const parseFaults = (words: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    words.map((word) => {
      const [name = '', share = '0.05'] = word.split('=');
      return [name, probability(`--faults ${name}`, share)];
    }),
  );
