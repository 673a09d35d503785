/** Results of a run: earlier rows, new rows, and the file that stores them. */
import type { ResultRow } from './row-shape.ts';
import { latestRows, placeOf, readRows, rowWriter } from './rows.ts';
import { type Host, type Task, slotOf } from './task.ts';

export interface Counts {
  readonly measured: number;
  readonly reused: number;
  readonly skipped: number;
  readonly unknown: number;
}

type Came = 'measured' | 'reused' | 'skipped';

/** Result files that a run reads but never writes. */
export interface OtherResults {
  /** Base file: its rows need not be repeated in the run's own file. */
  readonly base?: string;
  /** Its measurements are reused instead of measured again. */
  readonly known?: string;
}

export class Results {
  readonly #write: (row: ResultRow) => void;
  readonly #onRow: (row: ResultRow, measured: boolean) => void;
  readonly #byKey = new Map<string, ResultRow>();
  readonly #byPlace = new Map<string, ResultRow>();
  /** Rows of the base file, by place; the run's own rows take precedence. */
  readonly #base = new Map<string, ResultRow>();
  /** Origin of the row of each cell in this run; a cell that is measured again counts once. */
  readonly #came = new Map<string, { readonly how: Came; readonly row: ResultRow }>();
  readonly #hosts = new Map<string, Host>();

  constructor(path: string, { base, known }: OtherResults, onRow: (row: ResultRow, measured: boolean) => void) {
    this.#onRow = onRow;
    for (const row of latestOf(known)) this.#rememberKey(row);
    for (const row of latestOf(base)) {
      this.#base.set(placeOf(row), row);
      this.#rememberKey(row);
    }
    for (const row of latestOf(path)) this.#remember(row);
    this.#write = rowWriter(path);
  }

  get hosts(): readonly Host[] {
    return [...this.#hosts.values()];
  }

  withKey(key: string): ResultRow | undefined {
    return this.#byKey.get(key);
  }

  /** Returns the row of a cell that has a result. */
  resultOf(task: Task): ResultRow | undefined {
    const row = this.#byPlace.get(placeOf(slotOf(task)));
    return row && isResult(row) ? row : undefined;
  }

  /** Returns the row of a cell whose checker crashed. */
  crashOf(task: Task): ResultRow | undefined {
    const row = this.#byPlace.get(placeOf(slotOf(task)));
    return row && row.verdict === 'unknown' && !isResult(row) ? row : undefined;
  }

  /** Writes a new row, measured or skipped. */
  add(row: ResultRow): ResultRow {
    if (row.verdict !== 'skipped') return this.#append(row, 'measured');
    const before = this.#standing(row);
    if (before?.key !== row.key) return this.#append(row, 'skipped');
    this.#note(before, 'skipped');
    return before;
  }

  /**
   * Reuses a known row for a task: the same cell may belong to several experiments, such as one of time and one of
   * memory.
   */
  reuse(task: Task, known: ResultRow): ResultRow {
    const row = { ...known, ...slotOf(task) };
    const before = this.#standing(row);
    if (before?.key !== row.key) return this.#append(row, 'reused');
    this.#note(before, 'reused');
    this.#onRow(before, false);
    return before;
  }

  counts(): Counts {
    const came = [...this.#came.values()];
    const many = (asked: Came): number => came.filter(({ how }) => how === asked).length;
    const unknown = came.filter(({ how, row }) => how === 'measured' && row.verdict === 'unknown').length;
    return { measured: many('measured'), reused: many('reused'), skipped: many('skipped'), unknown };
  }

  /** Current row of a cell, in the own file or else in the base file. */
  #standing(row: ResultRow): ResultRow | undefined {
    const place = placeOf(row);
    return this.#byPlace.get(place) ?? this.#base.get(place);
  }

  #append(row: ResultRow, how: Came): ResultRow {
    this.#write(row);
    this.#remember(row);
    this.#note(row, how);
    this.#onRow(row, how === 'measured');
    return row;
  }

  #note(row: ResultRow, how: Came): void {
    this.#came.set(placeOf(row), { how, row });
  }

  #remember(row: ResultRow): void {
    this.#byPlace.set(placeOf(row), row);
    this.#rememberKey(row);
  }

  #rememberKey(row: ResultRow): void {
    if (!isResult(row)) return;
    // A row that stands for a skipped run applies only to the experiment in which an easier run reached the limit.
    if (row.reason?.startsWith('timeout at ') !== true) this.#byKey.set(row.key, row);
    const { machine, node } = row.run;
    this.#hosts.set(hostId(row.run), { machine, node });
  }
}

const latestOf = (path: string | undefined): ResultRow[] => (path === undefined ? [] : latestRows(readRows(path)));

export const hostId = ({ machine, node }: Host): string => JSON.stringify([machine, node]);

/** Returns the host with that id; null for any other text. */
export function hostOf(id: string): Host | null {
  try {
    const parts: unknown = JSON.parse(id);
    const [machine, node] = Array.isArray(parts) ? (parts as unknown[]) : [];
    return typeof machine === 'string' && typeof node === 'string' ? { machine, node } : null;
  } catch {
    return null;
  }
}

/** Returns whether a row has a result; crashes and absences are tried again. */
const isResult = ({ verdict, reason }: ResultRow): boolean =>
  verdict !== 'skipped' && !(verdict === 'unknown' && reason?.startsWith('crashed') === true);
