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

/** Converts Markdown to HTML, as GitHub shows it. A picture that has a narrow form uses it on phones. */
export function renderMarkdown(
  markdown: string,
  rewrite: Rewrite,
  hasNarrow: (link: string) => boolean = () => false,
): Rendered {
  const headings: Heading[] = [];
  const ids = new Map<string, number>();
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ depth: given, tokens }: Tokens.Heading): string {
        // A page whose title is a heading of the second level, as a story's is, begins with it.
        const depth = headings.length === 0 && !/^# /m.test(markdown) ? 1 : given;
        const html = this.parser.parseInline(tokens);
        const text = withoutTags(html, '');
        const id = uniqueId(slug(text), ids);
        headings.push({ depth, text, id });
        const link =
          depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to ${escapeXml(text)}">#</a>`;
        return `<h${depth} id="${id}">${html}${link}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        const address = rewrite(href);
        const html = this.parser.parseInline(tokens);
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
      code({ text }: Tokens.Code): string {
        // In the tab order, for users without a mouse.
        return `<pre tabindex="0"${hasColumns(text) ? '' : ' class="wraps"'}><code>${escapeXml(text)}</code></pre>\n`;
      },
      table(token: Tokens.Table): string {
        return tableHtml(token, (tokens) => this.parser.parseInline(tokens));
      },
      html({ text }: Tokens.HTML | Tokens.Tag): string {
        return rewriteHtml(text, rewrite);
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  const title = (headings.find(({ depth }) => depth === 1) ?? headings[0])?.text ?? '';
  return { title, html, headings, sections: sectionsOf(html, headings) };
}

/** Returns whether lines of a text are aligned in columns, which a narrow page must not break. */
const hasColumns = (text: string): boolean => text.split('\n').filter((line) => /\S {3,}\S/.test(line)).length > 2;

/** On phones each row of a wide table is a card, with the head of its column before each cell. */
function tableHtml({ header, rows }: Tokens.Table, inline: (tokens: Tokens.TableCell['tokens']) => string): string {
  const isWide = header.length > 3 && header.length < 12 && rows.length <= MOST_CARDS;
  const names = header.map(({ tokens }) => inline(tokens));
  // An empty table head is omitted.
  const head = names.map((name) => (name === '' ? '<td></td>' : `<th scope="col">${name}</th>`));
  const label = (i: number): string => (isWide ? ` data-head="${escapeXml(withoutTags(names[i]!, ''))}"` : '');
  const cells = (row: readonly Tokens.TableCell[]): string =>
    row.map(({ tokens }, i) => `<td${label(i)}>${inline(tokens)}</td>`).join('');
  return `<div class="scroll" tabindex="0"><table${isWide ? ' class="wide"' : ''}>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${rows.map((row) => `<tr>${cells(row)}</tr>`).join('\n')}
</tbody></table></div>\n`;
}

/** A longer table stays a table, which scrolls sideways: as cards it would be dozens of screens tall. */
const MOST_CARDS = 45;

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
