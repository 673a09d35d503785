import { BASE_STYLE, elided, escapeXml } from '@isolab/story/markup';
import { relative } from './links.ts';
import type { Heading } from './markdown.ts';
import { MENU, PLAYGROUND, siteAddress } from './pages.ts';
import { STYLE } from './style.ts';

export interface Content {
  readonly title: string;
  /** Path of the page in the site. */
  readonly address: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  /** Text from which the description is taken. */
  readonly about: string;
  /** Address of the repository, from which the address of the published site follows; null if there is none. */
  readonly site: string | null;
}

/** Scripts and styles that all pages load; classic scripts, because browsers load no others from disk. */
export const STYLE_FILE = 'site.css';
export const SCRIPT_FILE = 'site.js';
/** Search index, which a page loads at the first search. */
export const SEARCH_FILE = 'search.js';
/** Script of the start page. */
export const START_FILE = 'start.js';
export const MARK_FILE = 'mark.svg';
/** Picture that other sites show beside a link. */
export const CARD_FILE = 'card.png';

/** Mark of isolab: two sessions, and two dependencies that cross between them. */
export const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><style>.l{fill:#16324a}.e{stroke:#c8401f}@media(prefers-color-scheme:dark){.l{fill:#dfe8ef}.e{stroke:#ff8a5c}}</style><rect class="l" x="2" y="2" width="5" height="20" rx="2"/><rect class="l" x="17" y="2" width="5" height="20" rx="2"/><path class="e" d="M8.5 6.5 15.5 17.5M15.5 6.5 8.5 17.5" fill="none" stroke-width="2.6" stroke-linecap="round"/></svg>`;

export const styleSheet = (): string => `${BASE_STYLE}${STYLE}`;

/** A page loads only files beside it; diagrams have their own styles. */
const POLICY =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

/** Whole page: its content with the menu, the search and the table of contents around it. */
export function page({ title, address, html, headings, about, site }: Content): string {
  const to = (path: string): string => escapeXml(relative(address, path));
  const isStart = address === 'index.html';
  const name = isStart ? 'isolab' : `${title} · isolab`;
  const description = escapeXml(elided(about.replace(/^After reading this page, you /, 'You '), LONGEST_DESCRIPTION));
  const published = site?.replace(/^https:\/\/github\.com\/([^/]+)\/(.*)$/, 'https://$1.github.io/$2/');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}${isStart ? '; worker-src blob:' : ''}">
<title>${escapeXml(name)}</title>
<meta name="description" content="${description}">
<meta property="og:title" content="${escapeXml(name)}">
<meta property="og:description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:image" content="${published === undefined ? to(CARD_FILE) : `${escapeXml(published)}${CARD_FILE}`}">
<meta name="twitter:card" content="summary_large_image">
<link rel="icon" type="image/svg+xml" href="${to(MARK_FILE)}">
<link rel="stylesheet" href="${to(STYLE_FILE)}">
<script src="${to(SCRIPT_FILE)}" defer></script>
${isStart ? `<script src="${START_FILE}" defer></script>\n` : ''}</head>
<body${isStart ? ' class="start"' : ''} data-root="${escapeXml(relative(address, 'index.html').replace(/index\.html$/, ''))}">
<a class="skip" href="#main">Skip to the content</a>
<header class="bar"><a class="home" href="${to('index.html')}">${MARK}isolab</a>
<nav class="ways" aria-label="Main pages">${WAYS.map(([text, path]) => `<a href="${to(path)}"${path === address ? ' aria-current="page"' : ''}>${text}</a>`).join('')}</nav>
<form class="find" role="search"><input type="search" aria-label="Search the site" placeholder="Search (press /)" autocomplete="off"><ul class="found" aria-label="Search results" aria-live="polite"></ul></form></header>
<div class="frame">
<nav class="menu" aria-label="Pages"><details open><summary>Menu</summary>
${menu(address)}
</details></nav>
<main id="main" tabindex="-1">
${isStart ? html : html.replace('</h1>', () => `</h1>\n${contents(headings)}`)}
</main>
</div>
</body>
</html>
`;
}

/** Pages that every page names at its top. */
const WAYS = [
  ['Playground', PLAYGROUND],
  ['Gallery', 'docs/gallery.html'],
  ['Board', 'reports/field/index.html'],
  ['Tutorial', 'docs/tutorial.html'],
  ['Papers', 'reports/index.html'],
] as const;

const LONGEST_DESCRIPTION = 155;

function menu(address: string): string {
  const item = (title: string, path: string): string => {
    const current = siteAddress(path) === address ? ' aria-current="page"' : '';
    return `<li><a href="${escapeXml(relative(address, siteAddress(path)))}"${current}>${escapeXml(title)}</a></li>`;
  };
  return MENU.map(
    ({ title, entries }) =>
      `<h2>${escapeXml(title)}</h2>\n<ul>${entries.map((entry) => item(entry.title, entry.path)).join('\n')}</ul>`,
  ).join('\n');
}

/** Table of contents of a long page. */
function contents(headings: readonly Heading[]): string {
  const shown = headings.filter(({ depth }) => depth === 2);
  if (shown.length < 3) return '';
  const items = shown.map(({ id, text }) => `<li><a href="#${escapeXml(id)}">${escapeXml(text)}</a></li>`);
  return `<details class="contents"><summary>On this page</summary><ul>\n${items.join('\n')}\n</ul></details>`;
}
