import { Bytes } from './bytes.ts';
import { Head } from './protocol.ts';

/** An answer to a query of the recorder, as a map of its first two columns; null if the server refused the query. */
export type Answer = ReadonlyMap<string, string> | null;

/** Reads the answer to one query of the recorder, in the text protocol. */
export class Asked {
  readonly #facts: Map<string, string> = new Map();
  #state: 'first' | 'columns' | 'rows' = 'first';
  #columns = 0;
  readonly #hasEof: boolean;

  constructor(hasEof: boolean) {
    this.#hasEof = hasEof;
  }

  /** Reads a packet; undefined while the answer is incomplete. */
  read(payload: Buffer): Answer | undefined {
    const [head] = payload;
    if (head === Head.error) return null;
    switch (this.#state) {
      case 'first':
        if (head === Head.ok) return this.#facts;
        this.#columns = (new Bytes(payload).length() ?? 0) + (this.#hasEof ? 1 : 0);
        this.#state = 'columns';
        return undefined;
      case 'columns':
        if (--this.#columns === 0) this.#state = 'rows';
        return undefined;
      case 'rows': {
        if (head === Head.eof) return this.#facts;
        const bytes = new Bytes(payload);
        this.#facts.set(bytes.text().toLowerCase(), bytes.text());
        return undefined;
      }
    }
  }
}
