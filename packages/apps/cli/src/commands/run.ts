import type { LevelName } from 'isolab/check';
import { type Counts, levelInWords, visibleLine } from 'isolab/skin';
import { contentionAt, contentionLines } from './contention-text.ts';
import { ExitCode, UsageError, worseOf } from '../terminal/exit.ts';
import { claimFiles } from '../terminal/outputs-asked.ts';
import { type Printer, count } from '../terminal/print.ts';
import { levelAsked, wholeNumber } from '../terminal/words.ts';
import { check } from './check.ts';
import { collected, hasAny, interruption, summary } from './collect.ts';
import {
  type CommandFlags,
  type CommandModule,
  COLLECTING,
  LEVEL,
  LIMITS,
  READING,
  TRIALS,
  VERDICTS,
  VERDICT_OUTPUTS,
  until,
} from '../terminal/options.ts';

const OPTIONS = [
  ...COLLECTING,
  TRIALS('collect up to N histories until one is violated'),
  until('collect histories with successive seeds'),
  ...READING.filter(({ long }) => long !== '--threads'), // a collected history is not large
  ...LIMITS,
  ...VERDICTS,
  LEVEL('also check this level; all: every level, for information'),
] as const;
export type RunFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: [
    "isolab run history.jsonl --isolation 'repeatable read'",
    'isolab run history.jsonl --db postgres@12.3 --isolation serializable --for 30s',
  ],
  options: OPTIONS,
  outputs: VERDICT_OUTPUTS,
  hasFiles: true,
  run,
};

/**
 * `isolab run`: collects a history and checks the level that the database claims. The exit code concerns this level and
 * a level requested by name; a violation of a level that the database does not claim is not a fault.
 */
export async function run(path: string, flags: RunFlags, printer: Printer): Promise<number> {
  const trials = trialsOf(flags);
  if (trials === 1) return (await runOnce(path, flags, printer)).code;
  const first = wholeNumber('--seed', flags.seed);
  let code: number = ExitCode.Satisfied;
  for (let trial = 1; ; trial++) {
    const seed = String(first + trial - 1);
    const held = new HeldBack(printer);
    const force = trial > 1 || flags.force === true;
    const ran = await runOnce(path, { ...flags, seed, force }, held.printer);
    code = worseOf(code, ran.code);
    const isLast =
      trial === trials || ran.interrupted || ran.code === ExitCode.Violated || ran.code === ExitCode.Failed;
    if (isLast) {
      held.release();
      printer.note(`${count(trial, 'history', 'histories')} in total; to repeat this one: --seed ${seed}`);
      return code;
    }
    const said = ran.code === ExitCode.Satisfied ? 'satisfied' : 'unknown';
    printer.note(`--seed ${seed}: ${summary(ran.counts)}; ${said}`);
  }
}

/** Largest number of histories to collect. */
function trialsOf({ trials, until: end, resume }: RunFlags): number {
  if (trials === undefined && end.length === 0) return 1;
  if (resume) throw new UsageError('--resume continues one history; --trials and --until start new ones.');
  return trials === undefined ? Infinity : wholeNumber('--trials', trials);
}

/** Holds back the output of a trial until it is known to be the last one. */
class HeldBack {
  readonly printer: Printer;
  readonly #kept: (() => void)[] = [];

  constructor(printer: Printer) {
    const keep =
      (say: (text: string) => void) =>
      (text: string): void =>
        void this.#kept.push(() => say(text));
    this.printer = { ...printer, out: keep(printer.out), note: keep(printer.note) };
  }

  release(): void {
    for (const say of this.#kept) say();
  }
}

interface Ran {
  readonly code: number;
  readonly counts: Counts;
  readonly interrupted: boolean;
}

async function runOnce(path: string, flags: RunFlags, printer: Printer): Promise<Ran> {
  if (flags.level !== undefined && flags.level !== 'all') levelAsked(flags.level); // reports a wrong name before anything is collected
  const { certificate, summary: toSummary } = flags;
  claimFiles(flags.files ?? [], {
    inputs: [path],
    force: flags.force,
    others: { '--certificate': certificate, '--summary': toSummary },
  });
  const collection = await collected(path, flags, printer);
  const { isolation, interrupted, counts } = collection;
  const { claims, name } = isolation;
  printer.note(`${visibleLine(path)}: ${summary(counts)}`);
  if (interrupted) printer.note(interruption(collection));
  if (interrupted && !hasAny(counts)) return { code: ExitCode.Unknown, counts, interrupted };
  if (hasAny(counts)) for (const line of contentionLines(await contentionAt(path), flags)) printer.note(line);
  printer.note(`Checking ${levelInWords(claims)}, which ${name} claims.`);
  // The recorded part may show a violation; without a violation it shows little.
  const code = await judge(path, flags, claims, printer, interrupted ? 'the collection was interrupted' : null);
  return { code, counts, interrupted };
}

/** Checks the claims of the database and the requested levels: by name, or all levels for information. */
async function judge(
  path: string,
  flags: RunFlags,
  claims: LevelName,
  printer: Printer,
  whyPartial: string | null,
): Promise<number> {
  const level = flags.level === undefined ? claims : `${claims},${flags.level}`;
  const certified = flags.level === undefined || flags.level === 'all' ? claims : levelAsked(flags.level).level.name;
  const { db: _, ...rest } = flags; // the collected database, not one for a replay
  return check([path], { ...rest, level }, printer, { whyPartial, certified });
}
