/**
 * State that the runs of all experiments share: known results, the measurer, and the verdicts on each history by their
 * source.
 */
import type { ResultRow } from './row-shape.ts';
import type { Cell } from './cells.ts';
import { type Disagreement, Verdicts } from './disagreement.ts';
import type { Available } from '../datasets/histories.ts';
import type { Measurer, Ready } from './measure.ts';
import { type Results, hostId } from './results.ts';
import { type Host, type TaskOptions, keyOfTask, taskOf } from './task.ts';

/** Problem that stops an experiment: at least one checker is wrong. The history is kept at `path`. */
export type ExperimentProblem = { readonly path: string } & (
  | ({ readonly kind: 'disagreement' } & Disagreement)
  | { readonly kind: 'rejected certificate'; readonly series: string; readonly level: string }
);

export interface SessionOptions extends TaskOptions {
  /** Skips every cell that has a row, even if the code has changed since. */
  readonly resume: boolean;
  /** Runs every cell, even those that have a row with the same key. */
  readonly fresh: boolean;
}

/** A cell that already has a row, or one that can be measured. */
export type Prospect =
  | { readonly kind: 'settled'; readonly row: ResultRow }
  | ({ readonly kind: 'ready'; readonly cell: Cell } & Ready);
export type ReadyCell = Prospect & { readonly kind: 'ready' };

export class Session {
  readonly measurer: Measurer;
  readonly results: Results;
  readonly #options: SessionOptions;

  constructor(measurer: Measurer, results: Results, options: SessionOptions) {
    this.measurer = measurer;
    this.results = results;
    this.#options = options;
  }

  /** Finds the checker and the history of a cell; if one is absent, returns a row that says so. */
  async prepare(cell: Cell, signal?: AbortSignal): Promise<Prospect> {
    const { measurer, results } = this;
    const task = taskOf(cell, this.#options);
    const engine = await measurer.engineFor(task);
    if (engine.kind === 'absent')
      return { kind: 'settled', row: results.add(measurer.skippedRow(task, engine.reason, null)) };
    const history = await measurer.historyFor(task, signal);
    if ('reason' in history)
      return { kind: 'settled', row: results.add(measurer.skippedRow(task, history.reason, history)) };
    return { kind: 'ready', cell, task, engine, history };
  }

  /** Row of a cell from an earlier run with any settings; null unless `resume` is set. */
  resumed(cell: Cell): ResultRow | null {
    const task = taskOf(cell, this.#options);
    const before = this.#options.resume ? this.results.resultOf(task) : undefined;
    return before ? this.results.reuse(task, before) : null;
  }

  /** Earlier row that a measurement on that host would repeat. */
  known({ task, engine, history }: ReadyCell, host: Host): ResultRow | undefined {
    const { fresh, resume } = this.#options;
    if (fresh) return undefined;
    const key = keyOfTask(task, history.sha256, engine.code, host);
    const before = this.results.resultOf(task);
    if (before?.key === key || (resume && before && hostId(before.run) === hostId(host))) return before;
    return this.results.withKey(key);
  }

  /** Known rows of a point's cells. Returns null unless they were measured together and only crashes are missing. */
  knownTogether(cells: readonly ReadyCell[], host: Host): ReadonlyMap<ReadyCell, ResultRow> | null {
    const { resume } = this.#options;
    const rows = new Map<ReadyCell, ResultRow>();
    for (const cell of cells) {
      const row = this.known(cell, host);
      if (row) rows.set(cell, row);
      else if (!resume && !this.#hasCrashed(cell, host)) return null;
    }
    const runs = new Set([...rows.values()].map(({ run }) => run.together));
    return resume || runs.size < 2 ? rows : null;
  }

  #hasCrashed({ task, engine, history }: ReadyCell, host: Host): boolean {
    const row = this.#options.fresh ? undefined : this.results.crashOf(task);
    return row?.key === keyOfTask(task, history.sha256, engine.code, host);
  }
}

export class Judge {
  readonly #verdicts = new Verdicts();

  problemOf(row: ResultRow, { task: { series, level }, engine, history }: Ready): ExperimentProblem | null {
    const { path, sha256 }: Available = history;
    if (row.certificate === 'rejected') return { kind: 'rejected certificate', series: series.name, level, path };
    if (engine.kind === 'prediction') return null; // boundaries may differ
    const disagreement = this.#verdicts.note(row, sha256, series, engine.kind === 'checker' ? engine.ref : null);
    return disagreement && { kind: 'disagreement', ...disagreement, path };
  }
}
