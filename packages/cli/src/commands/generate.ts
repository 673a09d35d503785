import { visibleLine } from '@isolab/history';
import { findLevel } from '@isolab/contract';
import {
  FAULTS,
  type FaultName,
  LIGHTWEIGHT_PARAMETERS,
  type LightweightOptions,
  SIMULATED_LEVELS,
  type SimulatedLevel,
  lightweightHistory,
  resolveParameters,
  simulate,
} from '@isolab/workloads';
import { ExitCode, UsageError } from '../exit.ts';
import { type Printer, count, toJson } from '../print.ts';
import { progressLine } from '../progress.ts';
import { parseOptions, probability, wholeNumber } from '../words.ts';
import { workloadNamed } from '../workload-named.ts';
import { type WriteFlags, historyFormatFor, writeHistory } from '../write.ts';
import { type CommandModule, option, repeated, RETRY, SET, WRITING } from '../options.ts';

export interface GenerateFlags extends WriteFlags {
  readonly sessions: string;
  readonly transactions: string;
  readonly level: string;
  readonly seed: string;
  readonly set: readonly string[];
  readonly fault: readonly string[];
  readonly aborts: string;
  readonly unknowns: string;
  readonly retry?: boolean;
  readonly times: boolean;
  readonly output: string;
}

export const command: CommandModule = {
  usage: 'generate <workload> <out>',
  summary: 'run a workload on the simulated database and write the history',
  options: [
    ...WRITING,
    option('--sessions <n>', 'set the number of clients', '20'),
    option('--transactions <n>', 'set how many transactions each client commits', '100'),
    option('-l, --level <level>', 'set the level at which the database runs', 'serializable'),
    repeated('--fault <name=probability>', 'inject a fault with this probability'),
    SET,
    option('--seed <seed>', 'repeat the same history', '1'),
    option('--aborts <probability>', 'set the probability that a client aborts at the end', '0'),
    option('--unknowns <probability>', 'set the probability that a client never learns the outcome', '0'),
    RETRY,
    option('--no-times', 'leave out when transactions began and ended'),
  ],
  run: generate,
};

/** `isolab generate`: runs a workload on the simulated database and writes the history. */
export async function generate(name: string, out: string, flags: GenerateFlags, printer: Printer): Promise<number> {
  if (name === 'lightweight') return generateLightweight(out, flags, printer);
  const workload = workloadNamed(name);
  const parameters = resolveParameters(workload, parseOptions(flags.set, '--set'));
  const options = {
    level: simulatedLevel(flags.level),
    sessions: wholeNumber('--sessions', flags.sessions),
    transactions: wholeNumber('--transactions', flags.transactions),
    seed: flags.seed,
    faults: parseFaults(flags.fault),
    aborts: probability('--aborts', flags.aborts),
    unknowns: probability('--unknowns', flags.unknowns),
    retry: flags.retry === true,
    times: flags.times,
  };
  const format = historyFormatFor(out, [], flags);
  const line = progressLine((done, total) => `simulating ${name}: ${done} of ${total} transactions`);
  const { history, ...ended } = simulate(workload, parameters, { ...options, onProgress: line.show });
  line.clear();
  // Formats that hold less than the simulation records are asked for all the same; what is lost is said.
  const losses = await writeHistory(
    history,
    `This history of ${name}`,
    out,
    format,
    { allowLossy: true, ...flags },
    printer,
  );
  if (losses === null) return ExitCode.Failed;
  if (out === '-') return ExitCode.Satisfied;
  const operations = history.opKind.length;
  if (flags.output === 'json') {
    printer.out(toJson({ workload: name, parameters, ...options, ...ended, operations, out, format: format.name }));
  } else {
    const { committed, aborted, unknown } = ended;
    const others = [
      ...(aborted > 0 ? [`${aborted} aborted`] : []),
      ...(unknown > 0 ? [`${unknown} of unknown outcome`] : []),
    ];
    printer.out(
      `${visibleLine(out)}: ${[`${count(committed, 'committed transaction')}`, ...others].join(', ')}, ${count(operations, 'operation')}`,
    );
  }
  return ExitCode.Satisfied;
}

/** MTC's histories of lightweight transactions are made from points in time; no database takes part. */
async function generateLightweight(out: string, flags: GenerateFlags, printer: Printer): Promise<number> {
  const workload = { name: 'lightweight', parameters: LIGHTWEIGHT_PARAMETERS };
  const { objects, concurrent, fault } = resolveParameters(workload, parseOptions(flags.set, '--set'));
  const format = historyFormatFor(out, [], flags);
  const history = lightweightHistory({
    sessions: wholeNumber('--sessions', flags.sessions),
    transactions: wholeNumber('--transactions', flags.transactions),
    seed: flags.seed,
    objects: Number(objects),
    concurrent: Number(concurrent),
    fault: fault as NonNullable<LightweightOptions['fault']>,
  });
  const name = 'This history of lightweight transactions';
  const losses = await writeHistory(history, name, out, format, { allowLossy: true, ...flags }, printer);
  if (losses === null) return ExitCode.Failed;
  if (out !== '-') printer.out(`${visibleLine(out)}: ${count(history.opKind.length, 'compare-and-set')}`);
  return ExitCode.Satisfied;
}

function simulatedLevel(word: string): SimulatedLevel {
  const name = findLevel(word)?.level.name ?? word;
  if (Object.hasOwn(SIMULATED_LEVELS, name)) return name as SimulatedLevel;
  throw new UsageError(
    `The simulated database cannot run at ${word}; it can at ${Object.keys(SIMULATED_LEVELS).join(', ')}.`,
  );
}

function parseFaults(words: readonly string[]): Partial<Record<FaultName, number>> {
  return Object.fromEntries(
    words.map((word) => {
      const [name = '', share = '0.05'] = word.split('=');
      if (!Object.hasOwn(FAULTS, name)) throw new UsageError(`There is no fault ${name}; isolab workloads lists them.`);
      return [name, probability(`--fault ${name}`, share)];
    }),
  );
}
