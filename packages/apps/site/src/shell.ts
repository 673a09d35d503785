import { BASE_STYLE, escapeXml } from '@isolab/story/markup';
import { relative } from './links.ts';
import type { Heading } from './markdown.ts';
import { MENU, siteAddress } from './pages.ts';
import { STYLE } from './style.ts';

export interface Content {
  readonly title: string;
  /** Path of the page in the site. */
  readonly address: string;
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** Scripts and styles that all pages load; classic scripts, because browsers load no others from disk. */
export const STYLE_FILE = 'site.css';
export const SCRIPT_FILE = 'site.js';
/** Search index, which a page loads at the first search. */
export const SEARCH_FILE = 'search.js';

export const styleSheet = (): string => `${BASE_STYLE}${STYLE}`;

/** A page loads only files beside it; diagrams have their own styles. */
const POLICY =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

/** Whole page: its content with the menu, the search and the table of contents around it. */
export function page({ title, address, html, headings }: Content): string {
  const to = (path: string): string => escapeXml(relative(address, path));
  const name = title === 'isolab' ? 'isolab' : `${title} · isolab`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeXml(name)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to(STYLE_FILE)}">
<script src="${to(SCRIPT_FILE)}" defer></script>
</head>
<body data-root="${escapeXml(relative(address, 'index.html').replace(/index\.html$/, ''))}">
<a class="skip" href="#main">Skip to the content</a>
<header class="bar"><a class="home" href="${to('index.html')}">isolab</a>
<form class="find" role="search"><input type="search" aria-label="Search the site" placeholder="Search (press /)" autocomplete="off"><ul class="found" aria-label="Search results" aria-live="polite"></ul></form></header>
<div class="frame">
<nav class="menu" aria-label="Pages"><details open><summary>Menu</summary>
${menu(address)}
</details></nav>
<main id="main" tabindex="-1">
${html.replace('</h1>', () => `</h1>\n${contents(headings)}`)}
</main>
</div>
</body>
</html>
`;
}

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
