/** A resource with one holder at a time. Requests are served in order. */
export class Turns {
  readonly #patienceMs: number;
  #holder: object | null = null;
  readonly #waiting: { readonly who: object; grant(): void }[] = [];

  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  taker(): Turn {
    const who = {};
    const pass = (): void => {
      if (this.#holder !== who) return;
      const next = this.#waiting.shift();
      this.#holder = next?.who ?? null;
      next?.grant();
    };
    const isHolder = (): boolean => this.#holder === who;
    return {
      get holds() {
        return isHolder();
      },
      take: () => this.#take(who),
      pass,
    };
  }

  /** Waits for the resource. Gives up after a time limit, because the holder may never release it. */
  #take(who: object): Promise<void> {
    if (this.#holder === null) {
      this.#holder = who;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiting = {
        who,
        grant() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(Object.assign(new Error(`no turn within ${this.#patienceMs} ms`), { code: 'busy' }));
      }, this.#patienceMs);
      this.#waiting.push(waiting);
    });
  }
}

export interface Turn {
  readonly holds: boolean;
  take(): Promise<void>;
  pass(): void;
}

const PATIENCE_MS = 1_000;
