/** An element of XML, or of the HTML in our pages. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

const VOID = new Set(['meta', 'br', 'input', 'link', 'hr', 'img']);
const RAW = new Set(['script', 'style']);
const ENTITY = /&(?:amp|lt|gt|quot|apos|#\d+|#x[\dA-Fa-f]+);/g;

/**
 * Parses well-formed text strictly and throws for any other text. In HTML, void elements need no end tag, and scripts
 * and styles are raw text.
 */
export const parse = (source: string, { html = false } = {}): Element => new Parser(source, html).parse();

class Parser {
  readonly #source: string;
  readonly #html: boolean;
  readonly #stack: Element[] = [{ name: '', attributes: {}, children: [], text: '' }];
  #at = 0;

  constructor(source: string, html: boolean) {
    this.#source = source;
    this.#html = html;
  }

  parse(): Element {
    const root = this.#stack[0]!;
    while (this.#readText()) {
      if (/^<[?!]/.test(this.#ahead(2))) this.#at = this.#source.indexOf('>', this.#at) + 1;
      else if (!this.#readEnd()) this.#readElement();
    }
    if (this.#stack.length > 1) this.#fail(`<${this.#stack.at(-1)!.name}> is not closed`);
    return root.children.at(-1)!;
  }

  /** Reads up to the next bracket; false at the end of the source. */
  #readText(): boolean {
    const next = this.#source.indexOf('<', this.#at);
    if (next < 0) return false;
    this.#stack.at(-1)!.text += this.#checked(this.#source.slice(this.#at, next));
    this.#at = next;
    return true;
  }

  #readEnd(): boolean {
    const end = /^<\/([\w:-]+)>/.exec(this.#ahead(60));
    if (end === null) return false;
    const top = this.#stack.at(-1)!;
    if (this.#stack.length < 2 || end[1] !== top.name) this.#fail(`</${end[1]}> closes <${top.name}>`);
    this.#stack.pop();
    this.#at += end[0].length;
    return true;
  }

  #readElement(): void {
    const name = /^<([a-zA-Z][\w:-]*)/.exec(this.#ahead(60))?.[1] ?? this.#fail('no tag');
    this.#at += name.length + 1;
    const element: Element = { name, attributes: this.#readAttributes(), children: [], text: '' };
    this.#stack.at(-1)!.children.push(element);
    if (this.#ahead(2) === '/>') {
      this.#at += 2;
      return;
    }
    if (this.#ahead(1) !== '>') this.#fail(`<${name}> does not end`);
    this.#at += 1;
    if (this.#html && RAW.has(name)) {
      const close = this.#source.indexOf(`</${name}`, this.#at);
      element.text = this.#source.slice(this.#at, close);
      this.#at = close + name.length + 3;
    } else if (!(this.#html && VOID.has(name))) this.#stack.push(element);
  }

  #readAttributes(): Record<string, string> {
    const attributes: Record<string, string> = {};
    for (;;) {
      const attribute = /^\s+([\w:-]+)(?:="([^"<]*)")?/.exec(this.#ahead(100_000));
      if (attribute === null) return attributes;
      const [whole, name, value] = attribute as unknown as [string, string, string | undefined];
      if (value === undefined && !this.#html) this.#fail(`attribute ${name} without a value`);
      if (attributes[name] !== undefined) this.#fail(`attribute ${name} twice`);
      attributes[name] = decoded(this.#checked(value ?? ''));
      this.#at += whole.length;
    }
  }

  #checked(text: string): string {
    if (/[<>]/.test(text) && !this.#html) this.#fail('a bracket in text');
    if (text.replaceAll(ENTITY, '').includes('&')) this.#fail('a bare ampersand');
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    if (/[\u0000-\u0008\u000B\u000C\u000E-\u001F]/.test(text)) this.#fail('a control character');
    return text;
  }

  #ahead(length: number): string {
    return this.#source.slice(this.#at, this.#at + length);
  }

  #fail(what: string): never {
    throw new Error(`${what} at ${this.#at}: ${this.#source.slice(Math.max(0, this.#at - 40), this.#at + 60)}`);
  }
}

const decoded = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll(/&#x([\dA-Fa-f]+);/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&amp;', '&');

/** Returns the element and all its descendants, in order. */
export function all(element: Element, test: (element: Element) => boolean = () => true): Element[] {
  return [...(test(element) ? [element] : []), ...element.children.flatMap((child) => all(child, test))];
}

export const hasClass =
  (...names: readonly string[]) =>
  ({ attributes }: Element): boolean =>
    names.every((name) => (attributes.class ?? '').split(' ').includes(name));

export const textOf = (element: Element): string => decoded(element.text) + element.children.map(textOf).join('');
