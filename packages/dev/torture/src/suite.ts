/** One way to try to break isolab, again and again. */
export interface Suite {
  /** What `npm run torture -- NAME` takes. */
  readonly name: string;
  /** One line: what is done to what, and what must not happen. */
  readonly title: string;
  /** How many attempts the short form makes, which runs with all tests: half a minute at most. */
  readonly short: number;
  /** How many attempts the long form makes. */
  readonly long: number;
  /** Makes so many attempts and tells what came of each. The same seed makes the same attempts. */
  run(count: number, seed: number, report: Report): Promise<void>;
}

/** Where a suite tells what came of its attempts. A kind names what was done: `cobra-log`, `SIGKILL while loading`. */
export interface Report {
  /** isolab did what it promises. */
  survived(kind: string): void;
  /** It did not: `how` says what happened, what was expected, and how to see it again. */
  failed(kind: string, how: string): void;
  /** It could not be tried here, such as a full disk without the right to mount one. */
  skipped(kind: string, why: string): void;
  /** Something beside attempts was done so often, such as comparing verdicts. */
  counted(what: string, times: number): void;
}
