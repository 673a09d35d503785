/**
 * Runs a command again so that predictions come about: its statements wait at the recording proxy until it is their
 * turn in the predicted order. A prediction happened only if the recorded history of a run violates the stronger level
 * with transactions of the prediction.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LevelName } from '@isolab/contract';
import { type RecordedTransaction, transactionsOf } from '@isolab/record/statements';
import { open, shrink } from 'isolab';
import { type CheckResult, check } from 'isolab/check';
import { type Actor, CommandActor, OwnActor } from './actors.ts';
import { connect, descriptionOf, waitsForLock } from './clients.ts';
import { type Match, kindOf, matchesOf, programOf } from './match.ts';
import { type Confirmation, type Reason, conclusion, howOf, reasonOf } from './outcome.ts';
import { type Deviation, play } from './play.ts';
import { type Event, type Part, type Plan, plansOf } from './schedule.ts';
import { type Command, type Trial, trial } from './trial.ts';

export interface CommandOptions {
  readonly command: Command;
  /** Path of the recording with the predictions. */
  readonly recording: string;
  readonly stronger: LevelName;
  readonly signal: AbortSignal;
}

/** Facts from a run without delays. */
interface Known {
  readonly matches: ReadonlyMap<number, Match>;
  readonly patienceMs: number;
  readonly ms: number;
  /** Exit code of the command. */
  readonly code: number;
  readonly database: string;
}

const TRIES = 3;
const CHECK_MS = 30_000;

/** Runs of a command for one prediction after the other. */
export class CommandRuns {
  readonly #options: CommandOptions;
  readonly #folder: string;
  readonly #known: Known;

  private constructor(options: CommandOptions, folder: string, known: Known) {
    this.#options = options;
    this.#folder = folder;
    this.#known = known;
  }

  /** Runs the command once without delays, to find the transactions of the recording again. */
  static async begin(options: CommandOptions): Promise<CommandRuns> {
    const { command, recording, signal } = options;
    const folder = mkdtempSync(join(tmpdir(), 'isolab-predict-'));
    try {
      const path = join(folder, 'rehearsal.jsonl');
      const { result, ms, code } = await trial(command, path, { signal, knownMs: null }, async ({ run, upstream }) => {
        const client = await connect(upstream);
        return { run, database: await descriptionOf(client, upstream).finally(() => client.end()) };
      });
      const matches = matchesOf(await transactionsOf(recording), await transactionsOf(path), result.run);
      const patienceMs = Math.min(10_000, Math.max(1_000, 2 * result.run.longestPause));
      return new CommandRuns(options, folder, { matches, patienceMs, ms, code, database: result.database });
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  end(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * Tries to make a prediction come about. If it happened, `keep` receives the path of the recorded run and its
   * verdict.
   */
  async confirm(
    { order }: { readonly order: readonly Event[] | null },
    keep: (path: string, result: CheckResult) => Promise<void>,
  ): Promise<Confirmation> {
    const { matches, database, code } = this.#known;
    if (order === null) return { outcome: 'not replayed', why: 'no order of its statements is known' };
    if (order.some(({ line }) => !matches.has(line)))
      return {
        outcome: 'not replayed',
        why: `some of its transactions did not recur when the command ran again, with exit code ${code}`,
      };
    const plans = plansOf(order, matches);
    if (plans.length === 0) return { outcome: 'not replayed', why: 'its transactions need not overlap' };
    const reasons: Reason[] = [];
    const useless = new Set<Plan>();
    let trials = 0;
    while (trials < TRIES && useless.size < plans.length && !this.#options.signal.aborted) {
      const left = plans.filter((plan) => !useless.has(plan));
      const plan = left[trials % left.length]!;
      const path = join(this.#folder, 'run.jsonl');
      const { reason, result } = await this.#try(plan, path);
      trials++;
      if (reason === null) {
        await keep(path, result!);
        return { outcome: 'happened', times: 1, trials, database, how: howOf(plan) };
      }
      reasons.push(reason);
      if ('why' in reason) useless.add(plan);
    }
    return conclusion(reasons, trials, database);
  }

  /** Runs the command with a plan; without a reason, the prediction happened. */
  async #try(plan: Plan, path: string): Promise<{ readonly reason: Reason | null; readonly result?: CheckResult }> {
    rmSync(path, { force: true });
    const { command, signal } = this.#options;
    const { result: played } = await trial(command, path, { signal, knownMs: this.#known.ms }, (each) =>
      this.#play(plan, each),
    );
    const { deviations, actors } = played;
    const hasOtherValues = await this.#hasOtherValues(actors, path);
    const reason = reasonOf(plan, actors, deviations, hasOtherValues);
    if (hasOtherValues) return { reason };
    const opened = await open(path);
    const result = await check(opened, { level: this.#options.stronger, timeMs: CHECK_MS });
    if (result.verdict !== 'violated') return { reason };
    // The smallest part of the history that violates the level.
    const { history } = await shrink(opened, result, { timeMs: CHECK_MS });
    const isInvolved = await programsIn(path, history.txnPosition);
    const parts = plan.parts.filter(({ match }) => isInvolved(match.recorded));
    return parts.length > 1 ? { reason: null, result } : { reason };
  }

  /** Plays a plan while the command runs, and lets all statements pass in the end. */
  async #play(
    plan: Plan,
    current: Trial,
  ): Promise<{ readonly deviations: readonly Deviation[]; readonly actors: ReadonlyMap<Part, Actor> }> {
    const { run, upstream, port, isOver } = current;
    const through = this.#options.command.through(upstream, port);
    const watcher = await connect(upstream);
    const own: OwnActor[] = [];
    const actors = new Map<Part, Actor>();
    try {
      for (const part of plan.parts) {
        const { place, seen, recorded, settings } = part.match;
        if (part.isOwn) {
          const actor = new OwnActor(await connect(through), seen.statements, String(recorded.line), run);
          own.push(actor);
          await actor.begin(settings);
          actors.set(part, actor);
          continue;
        }
        const actor = new CommandActor(
          seen.statements.map(({ text }) => kindOf(text)),
          true,
        );
        run.guard(place, actor);
        actors.set(part, actor);
      }
      const moves = plan.moves.map(({ part, statements }) => ({ actor: actors.get(part)!, statements }));
      const deviations = await play(moves, {
        waitsForLock: () => waitsForLock(watcher, upstream),
        isOver,
        quietMs: () => run.quietMs,
        patienceMs: this.#known.patienceMs,
      });
      return { deviations, actors };
    } finally {
      for (const actor of actors.values()) if (!actor.isOwn) actor.permit(Infinity);
      await Promise.all([watcher.end(), ...own.map((actor) => actor.end())]);
    }
  }

  /**
   * Returns whether a transaction of isolab's own read another value than recorded before its last statement, so that
   * the command might have sent other statements.
   */
  async #hasOtherValues(actors: ReadonlyMap<Part, Actor>, path: string): Promise<boolean> {
    const rerun = await transactionsOf(path);
    for (const [{ isOwn, match }, { session }] of actors) {
      if (!isOwn || session === null) continue;
      const known = match.again.statements.slice(0, -1);
      // Without its line, nothing is known about its reads.
      const isSame = rerun.some(
        (each) =>
          each.session === session &&
          known.every(({ sql, reads }, i) => {
            const statement = each.statements[i];
            return statement !== undefined && statement.sql === sql && String(statement.reads) === String(reads);
          }),
      );
      if (!isSame) return true;
    }
    return false;
  }
}

/** Returns a function that finds a transaction of the same program among some lines of a recording, each only once. */
async function programsIn(
  path: string,
  lines: Iterable<number>,
): Promise<(transaction: RecordedTransaction) => boolean> {
  const wanted = new Set(lines);
  const left = (await transactionsOf(path)).filter(({ line }) => wanted.has(line)).map(programOf);
  return (transaction) => {
    const at = left.indexOf(programOf(transaction));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
}
