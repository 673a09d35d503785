/** Flags that end a command that would otherwise continue until an interruption: `--for`, and `--until violated`. */
import { parseDuration } from './limits.ts';

export interface EndFlags {
  readonly for?: string;
  readonly until: readonly string[];
}

export class Ending {
  readonly #ms: number | null;
  readonly #untilViolated: boolean;
  readonly #over = new AbortController();
  #why: string | null = null;

  constructor(flags: EndFlags) {
    this.#ms = flags.for === undefined ? null : parseDuration(flags.for, '--for');
    this.#untilViolated = flags.until.includes('violated');
  }

  /**
   * Starts the clock. The returned signal fires after that time, at the first violation if requested, or with the given
   * signal.
   */
  begin(signal: AbortSignal): AbortSignal {
    if (this.#ms !== null) setTimeout(() => this.#end('The time is over.'), this.#ms).unref();
    return AbortSignal.any([signal, this.#over.signal]);
  }

  readonly violated = (): void => {
    if (this.#untilViolated) this.#end('Ended at the first violation.');
  };

  /** Sentence about the reason for the end; null if these flags did not end the command. */
  get why(): string | null {
    return this.#why;
  }

  #end(why: string): void {
    this.#why ??= why;
    this.#over.abort();
  }
}
