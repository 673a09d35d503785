/**
 * The progress of a run, on a board that its host can read at any time, even when the run does not respond. Stages,
 * counters and steps are numbers in memory that a worker shares with its host. Names do not fit into this memory, so
 * each name is announced once, in the order of the numbers.
 * Layout of `numbers`: seven numbers of the run, then the time spent in each stage, then the counters.
 */
export interface Board {
  /** 1 once the run should end. */
  readonly flag: Int32Array;
  readonly numbers: Float64Array;
}

export const STEPS = 0;
/** Start time of the run, as given by `absoluteNow`. */
export const STARTED = 1;
/** Number of the current stage; -1 before the first stage, NOT_BEGUN before the run. */
const STAGE = 2;
const NOT_BEGUN = -2;
const STAGE_SINCE = 3;
const DONE = 4;
const TOTAL = 5;
/** Time when the checker returned; 0 before. */
const ENDED = 6;
const STAGE_MS = 7;
const MAX_STAGES = 64;
const COUNTERS = STAGE_MS + MAX_STAGES;
const MAX_COUNTERS = 256;
const SIZE = COUNTERS + MAX_COUNTERS;
export const MOST_NAMES = { stages: MAX_STAGES, counters: MAX_COUNTERS } as const;

export interface StageTime {
  readonly name: string;
  readonly ms: number;
}

/** Readable content of the board. */
export interface Snapshot {
  /** In the order of first entry; their times add up to `wallMs`. */
  readonly stages: readonly StageTime[];
  readonly counters: Readonly<Record<string, number>>;
  readonly steps: number;
  readonly wallMs: number;
  readonly progress: { readonly stage: string; readonly done: number; readonly total: number } | null;
}

export interface Names {
  readonly stages: string[];
  readonly counters: string[];
}

/** Makes a board in shareable memory. */
export function makeBoard(): Board {
  const board = {
    flag: new Int32Array(new SharedArrayBuffer(4)),
    numbers: new Float64Array(new SharedArrayBuffer(8 * SIZE)),
  };
  board.numbers[STAGE] = NOT_BEGUN;
  return board;
}

export const makeNames = (): Names => ({ stages: [], counters: [] });

/** Milliseconds on a clock that all threads of a process share. */
export const absoluteNow = (): number => performance.timeOrigin + performance.now();

/** Writes to the board. `names` belongs to this side, and `announce` sends every new name to the other side. */
export class Scribe {
  readonly #numbers: Float64Array;
  readonly #names: Names;
  readonly #now: () => number;
  readonly #announce: (kind: keyof Names, name: string) => void;

  constructor(board: Board, names: Names, now: () => number, announce: (kind: keyof Names, name: string) => void) {
    this.#numbers = board.numbers;
    this.#names = names;
    this.#now = now;
    this.#announce = announce;
  }

  start(): void {
    const now = this.#now();
    this.#numbers[STARTED] = now;
    this.#numbers[STAGE_SINCE] = now;
    this.#numbers[STAGE] = -1;
  }

  /** Stops the clock, so that later work of the host is not counted as the checker's time. */
  end(): void {
    this.#numbers[ENDED] = this.#now();
  }

  /** Enters a stage. Time before the first stage counts towards it. */
  stage(name: string): void {
    const numbers = this.#numbers;
    const next = this.#number('stages', name, MAX_STAGES);
    const current = numbers[STAGE];
    numbers[DONE] = 0;
    numbers[TOTAL] = 0;
    if (current >= 0) {
      const now = this.#now();
      numbers[STAGE_MS + current] += now - numbers[STAGE_SINCE];
      numbers[STAGE_SINCE] = now;
    }
    numbers[STAGE] = next;
  }

  count(name: string, amount: number): void {
    if (!Number.isFinite(amount)) throw new TypeError(`count takes a number, not ${String(amount)}`);
    this.#numbers[COUNTERS + this.#number('counters', name, MAX_COUNTERS)] += amount;
  }

  progress(done: number, total: number): void {
    if (!Number.isFinite(done) || !Number.isFinite(total)) throw new TypeError('progress takes two numbers');
    this.#numbers[DONE] = done;
    this.#numbers[TOTAL] = total;
  }

  #number(kind: keyof Names, name: string, limit: number): number {
    const names = this.#names[kind];
    const known = names.indexOf(name);
    if (known >= 0) return known;
    if (typeof name !== 'string') throw new TypeError(`A name of ${kind} is a ${typeof name}, expected a string.`);
    if (names.length === limit)
      throw new RangeError(`More than ${limit} different ${kind}: '${name}' exceeds the limit.`);
    this.#announce(kind, name);
    return names.push(name) - 1;
  }
}

/** Reads the board at a given time. If the board is still being written, names may lag behind the numbers. */
export function readBoard({ numbers }: Board, names: Names, at: number): Snapshot {
  if (numbers[STAGE] === NOT_BEGUN) return EMPTY;
  const now = numbers[ENDED] || at;
  const wallMs = Math.max(0, now - numbers[STARTED]);
  const current = numbers[STAGE];
  const sinceEntered = Math.max(0, now - numbers[STAGE_SINCE]);
  const stages = names.stages.map((name, i) => ({
    name,
    ms: numbers[STAGE_MS + i] + (i === current ? sinceEntered : 0),
  }));
  return {
    stages: stages.length === 0 ? [{ name: 'check', ms: wallMs }] : stages,
    counters: Object.fromEntries(names.counters.map((name, i) => [name, numbers[COUNTERS + i]])),
    steps: numbers[STEPS],
    wallMs,
    progress: { stage: names.stages[current] ?? 'check', done: numbers[DONE], total: numbers[TOTAL] },
  };
}

/** Progress of a run that did not begin. */
export const EMPTY: Snapshot = { stages: [], counters: {}, steps: 0, wallMs: 0, progress: null };
