import type { StageTime } from './board.ts';

/** Clock of stages that do not nest: a stage inside another one interrupts it, and continues when it is entered again. */
export class StageClock {
  readonly #ms = new Map<string, number>();
  #stage: string | null = null;
  #since = 0;

  /** Enters a stage; null is a time that belongs to no stage. Returns the stage before. */
  enter(stage: string | null, now = performance.now()): string | null {
    const before = this.#stage;
    if (before !== null) this.#ms.set(before, (this.#ms.get(before) ?? 0) + now - this.#since);
    [this.#stage, this.#since] = [stage, now];
    return before;
  }

  /** Performs a task as a stage, then continues the stage before. */
  within<T>(stage: string, task: () => T): T {
    const before = this.enter(stage);
    try {
      return task();
    } finally {
      this.enter(before);
    }
  }

  /** Completed times, in the order of first entry. */
  get stages(): StageTime[] {
    return Array.from(this.#ms, ([name, ms]) => ({ name, ms }));
  }
}

/** Total time of stages. */
export const totalMs = (stages: readonly StageTime[]): number => stages.reduce((sum, { ms }) => sum + ms, 0);
