import type { Refusal, Sender } from './source.ts';

/** Answers senders once their lines are on disk: lines that arrive while the disk is busy are written together. */
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
    this.#waiting.push(refusal === null ? kept : () => refused(refusal)); // the lines before a refused line were taken
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

  /** Throws if lines could not be stored. */
  check(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Waits until all senders have been answered. */
  async done(): Promise<void> {
    await this.#running;
    this.check();
  }
}
