/** New meaning of a name, and the meaning before it, until the server has confirmed the new one. */
export class Meaning<T> {
  /** Null where the name was given up, or means something that is not followed. */
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

  /** Unless the name means something else by now. */
  #replaceBy(meaning: Meaning<T> | undefined): void {
    if (this.#meanings.get(this.#name) !== this) return;
    if (meaning === undefined) this.#meanings.delete(this.#name);
    else this.#meanings.set(this.#name, meaning);
  }
}

/**
 * Names of prepared statements or of portals. A client uses a name before the server has answered that it exists, so
 * the meaning of a name holds at once and is taken back if the server refuses it.
 */
export class Names<T> {
  readonly #meanings = new Map<string, Meaning<T>>();

  get(name: string): T | null {
    return this.#meanings.get(name)?.value ?? null;
  }

  /** `order` grows with the messages, so a message that ends names does not end later ones. */
  set(name: string, value: T | null, order: number): Meaning<T> | null {
    if (value === null && !this.#meanings.has(name)) return null;
    return new Meaning(this.#meanings, name, value, order);
  }

  /** The server forgot a name by other means than a message. */
  forget(name: string, order: number): void {
    const meaning = this.#meanings.get(name);
    if (meaning !== undefined && meaning.order < order) this.#meanings.delete(name);
  }

  forgetAll(order: number): void {
    for (const name of this.#meanings.keys()) this.forget(name, order);
  }
}
