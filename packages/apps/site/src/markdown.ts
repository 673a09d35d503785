import { escapeXml } from '@isolab/story/markup';
import { Marked, type Tokens } from 'marked';
import { narrowName } from './links.ts';

export interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly id: string;
}

/** Part of a page under one heading, as text for the search. */
export interface Section {
  readonly heading: string;
  readonly id: string;
  readonly text: string;
}

export interface Rendered {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

/** Rewrites a link; null removes the link and keeps its text. */
export type Rewrite = (link: string) => string | null;

export interface Surroundings {
  /** States that a picture has a narrow form, which phones show. */
  readonly hasNarrow?: (link: string) => boolean;
  /** Link to the page of a name that stands alone as code or in bold type; null if it has none. */
  readonly pageOf?: (name: string) => string | null;
}

/** Converts Markdown to HTML, as GitHub shows it. */
export function renderMarkdown(
  markdown: string,
  rewrite: Rewrite,
  { hasNarrow = () => false, pageOf = () => null }: Surroundings = {},
): Rendered {
  const headings: Heading[] = [];
  const ids = new Map<string, number>();
  const marked = new Marked({ gfm: true });
  let isInLink = false;
  const named = (text: string, html: string): string => {
    const address = isInLink ? null : pageOf(text);
    return address === null ? html : `<a href="${escapeXml(address)}">${html}</a>`;
  };
  marked.use({
    renderer: {
      heading({ depth: given, tokens }: Tokens.Heading): string {
        // A page whose title is a heading of the second level, as a story's is, begins with it.
        const depth = headings.length === 0 && !/^# /m.test(markdown) ? 1 : given;
        isInLink = true; // a heading's own link is its anchor
        const html = this.parser.parseInline(tokens);
        isInLink = false;
        const text = withoutTags(html, '');
        const id = uniqueId(slug(text), ids);
        headings.push({ depth, text, id });
        const link =
          depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to ${escapeXml(text)}">#</a>`;
        return `<h${depth} id="${id}">${html}${link}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        const address = rewrite(href);
        isInLink = true;
        const html = this.parser.parseInline(tokens);
        isInLink = false;
        return address === null ? html : `<a href="${escapeXml(address)}">${html}</a>`;
      },
      image({ href, text }: Tokens.Image): string {
        // A wide picture scrolls at its own size; its link opens it alone, where a phone can enlarge it.
        const address = escapeXml(rewrite(href) ?? '');
        const img = `<img src="${address}" alt="${escapeXml(text)}" loading="lazy">`;
        const narrow = hasNarrow(href) ? escapeXml(rewrite(narrowName(href)) ?? '') : '';
        const picture = narrow === '' ? img : `<picture><source media="${PHONE}" srcset="${narrow}">${img}</picture>`;
        return `<a class="figure" href="${address}">${picture}</a>`;
      },
      html({ text }: Tokens.HTML | Tokens.Tag): string {
        return rewriteHtml(text, rewrite);
      },
    },
  });
  useText(marked, named);
  const html = marked.parse(markdown, { async: false });
  const title = (headings.find(({ depth }) => depth === 1) ?? headings[0])?.text ?? '';
  return { title, html, headings, sections: sectionsOf(html, headings) };
}

/** Renders code, tables and bold type; `named` links a text that is a name. */
function useText(marked: Marked, named: (text: string, html: string) => string): void {
  marked.use({
    renderer: {
      code({ text }: Tokens.Code): string {
        // In the tab order, for users without a mouse.
        return `<pre tabindex="0"${hasColumns(text) ? '' : ' class="wraps"'}><code>${codeHtml(text)}</code></pre>\n`;
      },
      codespan({ text }: Tokens.Codespan): string {
        return named(text, `<code>${codeHtml(text)}</code>`);
      },
      strong({ text, tokens }: Tokens.Strong): string {
        return named(text, `<strong>${this.parser.parseInline(tokens)}</strong>`);
      },
      table(token: Tokens.Table): string {
        return tableHtml(token, (tokens) => this.parser.parseInline(tokens));
      },
    },
  });
}

/** States that lines of a text are aligned in columns, which a page must not break; comments are no column. */
const hasColumns = (text: string): boolean => text.split('\n').filter((line) => /\S {3,}[^\s#]/.test(line)).length > 2;

/** Keeps each option of a command whole, which browsers would break after its hyphens. */
const codeHtml = (text: string): string =>
  escapeXml(text).replaceAll(/(?<=^|\s)--?[a-z][\w-]*/g, '<span class="whole">$&</span>');

/** On phones each row of a wide table is a card, with the head of its column before each cell. */
function tableHtml({ header, rows }: Tokens.Table, inline: (tokens: Tokens.TableCell['tokens']) => string): string {
  const isWide = header.length > 3 && header.length < 12 && rows.length <= MOST_CARDS;
  const names = header.map(({ tokens }) => inline(tokens));
  // An empty table head is omitted.
  const head = names.map((name) => (name === '' ? '<td></td>' : `<th scope="col">${name}</th>`));
  const label = (i: number): string => (isWide ? ` data-head="${escapeXml(withoutTags(names[i]!, ''))}"` : '');
  const cells = (row: readonly Tokens.TableCell[]): string =>
    row
      .map(({ tokens }, i) => {
        const html = inline(tokens);
        return `<td${classOf(withoutTags(html, ''))}${label(i)}>${html}</td>`;
      })
      .join('');
  return `<div class="scroll" tabindex="0"><table${isWide ? ' class="wide"' : ''}>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${rows.map((row) => `<tr>${cells(row)}</tr>`).join('\n')}
</tbody></table></div>\n`;
}

/** Dates stay whole, and long texts do not become columns of single words. */
const classOf = (text: string): string =>
  /^\d{4}-\d\d-\d\d$/.test(text) ? ' class="whole"' : text.length > LONG ? ' class="long"' : '';

const LONG = 40;

/** A longer table stays a table, which scrolls sideways: as cards it would be dozens of screens tall. */
const MOST_CARDS = 50;

const PHONE = '(max-width:40rem)';

/** Links and pictures in HTML inside Markdown. */
const rewriteHtml = (html: string, rewrite: Rewrite): string =>
  html.replaceAll(/ (href|src|srcset)="([^"]*)"/g, (_, name: string, link: string) => {
    const address = rewrite(link);
    return address === null ? '' : ` ${name}="${escapeXml(address)}"`;
  });

/** Anchor that GitHub gives a heading. */
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');

function uniqueId(id: string, taken: Map<string, number>): string {
  const before = taken.get(id);
  taken.set(id, (before ?? -1) + 1);
  return before === undefined ? id : `${id}-${before + 1}`;
}

function sectionsOf(html: string, headings: readonly Heading[]): Section[] {
  const parts = html.split(/(?=<h[1-6] id=")/);
  return parts.flatMap((part) => {
    const id = /^<h[1-6] id="([^"]*)"/.exec(part)?.[1];
    const heading = headings.find((each) => each.id === id);
    const body = part.replace(/^<h[1-6] .*?<\/h[1-6]>/s, '').replaceAll(/<svg.*?<\/svg>/gs, ' ');
    const text = withoutTags(body, ' ').replaceAll(/\s+/g, ' ').trim();
    return text === '' && heading === undefined ? [] : [{ heading: heading?.text ?? '', id: id ?? '', text }];
  });
}

/** Text of HTML that was generated here; `between` replaces each tag. */
const withoutTags = (html: string, between: string): string =>
  html
    .replaceAll(/<[^>]*>/g, between)
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&')
    .trim();
