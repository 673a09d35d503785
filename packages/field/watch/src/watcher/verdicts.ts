import type { LevelName } from '@isolab/contract';
import type { Contest } from '../engine/contests.ts';
import type { Alarm, Standing, WatchStatus } from './status.ts';
import { WatchError } from '../stream/errors.ts';
import { type UnwrittenReads, whyUnwritten } from '../engine/unwritten.ts';

export class Verdicts {
  readonly #standing: Map<LevelName, Standing>;
  readonly #reasons = new Map<LevelName, string>();
  readonly #alarms: Alarm[] = [];

  constructor(levels: readonly LevelName[]) {
    this.#standing = new Map(levels.map((level) => [level, 'stands']));
  }

  get alarms(): readonly Alarm[] {
    return this.#alarms;
  }

  raise(alarm: Alarm): void {
    this.#standing.set(alarm.level, 'violated');
    this.#alarms.push(alarm);
  }

  leaveOpen(level: LevelName, why: string): void {
    this.#standing.set(level, 'undecided');
    this.#reasons.set(level, why);
  }

  /** Marks an alarm as contested: it remains, but no longer decides the level. */
  contest({ level, key, value, line }: Contest): void {
    const i = this.#alarms.findIndex((alarm) => alarm.level === level);
    this.#alarms[i] = { ...this.#alarms[i]!, contestedAt: line };
    const told = `alarm ${i + 1} assumed that ${key} = ${value} was written once, but line ${line} writes it again`;
    this.leaveOpen(level, `${told}; check the log with isolab check, and watch with --values repeated`);
  }

  /**
   * Returns the verdicts. A level is undecided while a read in one of its engines has waited for its writer beyond the
   * horizon.
   */
  told(engines: readonly Waiting[]): Told {
    const levels = new Map(this.#standing);
    const reasons = new Map(this.#reasons);
    for (const { unwritten, levels: standing } of engines) {
      const [first] = unwritten.all;
      if (first === undefined) continue;
      const why = whyUnwritten(first, unwritten.size - 1);
      for (const level of standing) {
        if (levels.get(level) !== 'stands') continue;
        levels.set(level, 'undecided');
        reasons.set(level, why);
      }
    }
    return {
      levels: Object.fromEntries(levels) as WatchStatus['levels'],
      looked: Object.fromEntries(
        engines.flatMap(({ fullChecks, levels: standing }) =>
          fullChecks === null ? [] : standing.map((level) => [level, fullChecks.lines]),
        ),
      ) as WatchStatus['looked'],
      whyUndecided: Object.fromEntries(reasons) as WatchStatus['whyUndecided'],
      alarms: this.#alarms,
    };
  }

  /** Returns the verdicts to report while the source may turn out to be a different one. */
  withheld(): Told {
    const levels = [...this.#standing.keys()];
    return {
      levels: Object.fromEntries(levels.map((level) => [level, 'undecided'])) as Told['levels'],
      looked: {},
      whyUndecided: Object.fromEntries(levels.map((level) => [level, WHY_WITHHELD])) as Told['whyUndecided'],
      alarms: [],
    };
  }

  save(): SavedVerdicts {
    return { standing: [...this.#standing], reasons: [...this.#reasons], alarms: this.#alarms };
  }

  restore({ standing, reasons, alarms }: SavedVerdicts): void {
    const before = standing.map(([level]) => level).toSorted();
    const asked = [...this.#standing.keys()].toSorted();
    if (before.join() !== asked.join())
      throw new WatchError(
        `The levels ${before.join(', ')} were watched before, found ${asked.join(', ')}; watch the same levels, or use another folder.`,
      );
    for (const [level, stands] of standing) this.#standing.set(level, stands);
    for (const [level, why] of reasons) this.#reasons.set(level, why);
    this.#alarms.push(...alarms);
  }
}

type Told = Pick<WatchStatus, 'levels' | 'looked' | 'whyUndecided' | 'alarms'>;

const WHY_WITHHELD = 'the source is not yet known to be the source watched before';

interface Waiting {
  readonly levels: readonly LevelName[];
  readonly unwritten: UnwrittenReads;
  readonly fullChecks: { readonly lines: number } | null;
}

export interface SavedVerdicts {
  readonly standing: readonly (readonly [LevelName, Standing])[];
  readonly reasons: readonly (readonly [LevelName, string])[];
  readonly alarms: readonly Alarm[];
}
