import type { Refusal, Sender } from './source.ts';

/**
 * Answers those whose lines were taken once these are on the disk: all lines that came while the disk was busy at once.
 */
export class Answers {
  readonly #sync: () => Promise<void>;
  #waiting: (() => void)[] = [];
  #running: Promise<void> | null = null;
  #failure: { readonly error: unknown } | null = null;

  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  give({ kept, refused }: Sender, refusal: Refusal | null): void {
    if (kept === null) {
      if (refusal !== null) refused(refusal);
      return;
    }
    this.#waiting.push(refusal === null ? kept : () => refused(refusal)); // lines before it were taken
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const answers = this.#waiting;
        this.#waiting = [];
        await this.#sync();
        for (const answer of answers) answer();
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#running = null;
  }

  /** Fails if lines could not be kept. */
  check(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Waits until all senders have their answer. */
  async done(): Promise<void> {
    await this.#running;
    this.check();
  }
}
