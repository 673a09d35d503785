/** An element of XML, or of the HTML that our pages consist of. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

const VOID = new Set(['meta', 'br', 'input', 'link', 'hr', 'img']);
const RAW = new Set(['script', 'style']);
const ENTITY = /&(?:amp|lt|gt|quot|apos|#\d+|#x[\dA-Fa-f]+);/g;

/** Reads well-formed text strictly: anything else throws. In HTML, void elements need no end, scripts and styles are raw. */
export function parse(source: string, { html = false } = {}): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const stack = [root];
  let at = 0;
  const fail = (what: string): never => {
    throw new Error(`${what} at ${at}: ${source.slice(Math.max(0, at - 40), at + 60)}`);
  };
  const checkText = (text: string): string => {
    if (/[<>]/.test(text) && !html) fail('a bracket in text');
    if (text.replaceAll(ENTITY, '').includes('&')) fail('a bare ampersand');
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    if (/[\u0000-\u0008\u000B\u000C\u000E-\u001F]/.test(text)) fail('a control character');
    return text;
  };
  while (at < source.length) {
    const top = stack.at(-1)!;
    const next = source.indexOf('<', at);
    if (next < 0) break;
    top.text += checkText(source.slice(at, next));
    at = next;
    if (source.startsWith('<?', at) || source.startsWith('<!', at)) {
      at = source.indexOf('>', at) + 1;
      continue;
    }
    const end = /^<\/([\w:-]+)>/.exec(source.slice(at, at + 60));
    if (end !== null) {
      if (stack.length < 2 || end[1] !== top.name) fail(`</${end[1]}> closes <${top.name}>`);
      stack.pop();
      at += end[0].length;
      continue;
    }
    const name = /^<([a-zA-Z][\w:-]*)/.exec(source.slice(at, at + 60))?.[1] ?? fail('no tag');
    at += name.length + 1;
    const attributes: Record<string, string> = {};
    for (;;) {
      const attribute = /^\s+([\w:-]+)(?:="([^"<]*)")?/.exec(source.slice(at, at + 100_000));
      if (attribute === null) break;
      if (attribute[2] === undefined && !html) fail(`attribute ${attribute[1]} without a value`);
      if (attributes[attribute[1]!] !== undefined) fail(`attribute ${attribute[1]} twice`);
      attributes[attribute[1]!] = decoded(checkText(attribute[2] ?? ''));
      at += attribute[0].length;
    }
    const element: Element = { name, attributes, children: [], text: '' };
    top.children.push(element);
    if (source.startsWith('/>', at)) {
      at += 2;
    } else if (source.startsWith('>', at)) {
      at += 1;
      if (html && RAW.has(name)) {
        const close = source.indexOf(`</${name}`, at);
        element.text = source.slice(at, close);
        at = close + name.length + 3;
      } else if (!(html && VOID.has(name))) {
        stack.push(element);
      }
    } else {
      fail(`<${name}> does not end`);
    }
  }
  if (stack.length > 1) fail(`<${stack.at(-1)!.name}> is not closed`);
  return root.children.at(-1)!;
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

/** The element and all below it, in order. */
export function all(element: Element, test: (element: Element) => boolean = () => true): Element[] {
  return [...(test(element) ? [element] : []), ...element.children.flatMap((child) => all(child, test))];
}

export const hasClass =
  (...names: readonly string[]) =>
  ({ attributes }: Element): boolean =>
    names.every((name) => (attributes.class ?? '').split(' ').includes(name));

export const textOf = (element: Element): string => decoded(element.text) + element.children.map(textOf).join('');
