/** Repeated attempts to break isolab in one way. */
export interface Suite {
  /** Name for `npm run torture -- NAME`. */
  readonly name: string;
  /** One line: the attempt and its object, and the outcome that must not occur. */
  readonly title: string;
  /** Number of attempts of the short form, which runs with all tests: half a minute at most. */
  readonly short: number;
  /** Number of attempts of the long form. */
  readonly long: number;
  /** Makes `count` attempts and reports their outcomes. The same seed produces the same attempts. */
  run(count: number, seed: number, report: Report): Promise<void>;
}

/** Receives the outcomes of a suite's attempts. A kind names the attempt: `cobra-log`, `SIGKILL while loading`. */
export interface Report {
  /** Counts an attempt that isolab survived. */
  survived(kind: string): void;
  /** Records a failure of isolab: `how` states the outcome, the expected one, and a way to repeat it. */
  failed(kind: string, how: string): void;
  /** Records an attempt that was impossible here, such as a full disk without the right to mount one. */
  skipped(kind: string, why: string): void;
  /** Counts work besides attempts, such as comparing verdicts. */
  counted(what: string, times: number): void;
}

/** Reports one attempt, which an error fails as well; `repeat` states how to repeat it. */
export async function reportAttempt(
  report: Report,
  kind: string,
  attempt: () => Promise<string | null>,
  repeat: () => string,
): Promise<void> {
  const problem = await attempt().catch((error: Error) => `it crashed: ${error.stack}`);
  if (problem === null) report.survived(kind);
  else report.failed(kind, `${problem}\n${repeat()}`);
}
