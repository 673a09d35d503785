/** A new meaning of a name, with the previous meaning until the server confirms the new one. */
export class Meaning<T> {
  /** Null if the name was closed or has a meaning that is not followed. */
  readonly value: T | null;
  readonly order: number;
  readonly #name: string;
  readonly #meanings: Map<string, Meaning<T>>;
  #before: Meaning<T> | undefined;
  #isRefused = false;

  constructor(meanings: Map<string, Meaning<T>>, name: string, value: T | null, order: number) {
    this.#meanings = meanings;
    this.#name = name;
    this.value = value;
    this.order = order;
    this.#before = meanings.get(name);
    meanings.set(name, this);
  }

  confirm(): void {
    this.#before = undefined;
    if (this.value === null) this.#replaceBy(undefined);
  }

  refuse(): void {
    this.#isRefused = true;
    let meaning: Meaning<T> | undefined = this.#before;
    while (meaning !== undefined && meaning.#isRefused) meaning = meaning.#before;
    this.#before = meaning;
    this.#replaceBy(meaning);
  }

  /** Does nothing if the name has another meaning by now. */
  #replaceBy(meaning: Meaning<T> | undefined): void {
    if (this.#meanings.get(this.#name) !== this) return;
    if (meaning === undefined) this.#meanings.delete(this.#name);
    else this.#meanings.set(this.#name, meaning);
  }
}

/**
 * Names of prepared statements or of portals. A client uses a name before the server confirms it, so a meaning is valid
 * immediately and is reverted if the server rejects it.
 */
export class Names<T> {
  readonly #meanings = new Map<string, Meaning<T>>();

  get(name: string): T | null {
    return this.#meanings.get(name)?.value ?? null;
  }

  /** `order` increases with each message, so a message that closes names does not affect later ones. */
  set(name: string, value: T | null, order: number): Meaning<T> | null {
    if (value === null && !this.#meanings.has(name)) return null;
    return new Meaning(this.#meanings, name, value, order);
  }

  /** Forgets a name that the server dropped without a message. */
  forget(name: string, order: number): void {
    const meaning = this.#meanings.get(name);
    if (meaning !== undefined && meaning.order < order) this.#meanings.delete(name);
  }

  forgetAll(order: number): void {
    for (const name of this.#meanings.keys()) this.forget(name, order);
  }
}
