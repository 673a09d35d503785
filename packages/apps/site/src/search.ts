import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { jsonForScript } from '@isolab/story/markup';
import type { Section } from './markdown.ts';

export interface Indexed {
  readonly title: string;
  readonly address: string;
  readonly sections: readonly Section[];
  /** Whether the page is in the menu: such pages come first among the results. */
  readonly isMain: boolean;
  /** Words of searchers that the page answers. */
  readonly asked: string;
  /** Names of the page's subject: a question that is one of them has the page as its first answer. */
  readonly names: readonly string[];
}

/** Search library with its index, as a script that a page loads at the first search. */
export function searchScript(pages: readonly Indexed[]): string {
  const main = createRequire(import.meta.url).resolve('minisearch');
  // Build for classic scripts, which the package does not export to importers.
  const library = readFileSync(join(dirname(main), '../umd/index.js'), 'utf8');
  const entries = pages.flatMap(({ title, address, sections, isMain, asked, names }) =>
    sections.map(({ heading, id, text }, i) => ({
      page: title,
      heading: heading === title ? '' : heading,
      address: id === '' || heading === title ? address : `${address}#${id}`,
      text: text.slice(0, LONGEST),
      isMain,
      asked: i === 0 ? asked : '',
      ...(i === 0 && names.length > 0 && { names }),
    })),
  );
  return `${library.replace(/\n\/\/# sourceMappingURL.*/, '')}
(() => {
  const entries = ${jsonForScript(entries)};
  const ignored = new Set(${jsonForScript(IGNORED)});
  const index = new MiniSearch({ fields: ['page', 'heading', 'asked', 'text'], processTerm: (term) => (ignored.has(term.toLowerCase()) ? null : term.toLowerCase()), searchOptions: { boost: { page: 4, heading: 3, asked: 6 }, prefix: true, fuzzy: 0.15, combineWith: 'AND', boostDocument: (id) => (entries[id].isMain ? 4 : 1) } });
  index.addAll(entries.map((entry, id) => ({ id, ...entry })));
  const plain = (text) => MiniSearch.getDefault('tokenize')(text.toLowerCase()).filter((term) => !ignored.has(term)).join(' ');
  // Of several pages with a name, the first one has it.
  const named = new Map(entries.flatMap((entry) => (entry.names ?? []).map((name) => [plain(name), entry])).reverse());
  // Sections with all words come first; without one, those with most of the words.
  window.searchSite = (words) => {
    const all = index.search(words);
    const found = (all.length > 0 ? all : index.search(words, { combineWith: 'OR' })).map(({ id }) => entries[id]);
    const first = named.get(plain(words));
    return (first === undefined ? found : [first, ...found.filter((each) => each !== first)]).slice(0, 12);
  };
})();
`;
}

/** Words of questions that say nothing about their subject. */
const IGNORED = [
  'a',
  'an',
  'and',
  'are',
  'between',
  'can',
  'difference',
  'do',
  'does',
  'example',
  'examples',
  'for',
  'how',
  'i',
  'in',
  'is',
  'it',
  'my',
  'of',
  'on',
  'or',
  'the',
  'to',
  'versus',
  'vs',
  'what',
  'when',
  'which',
  'why',
  'with',
  'you',
  'your',
];

/** Number of characters of a section that are searched: the rest of a table with hundreds of rows adds nothing. */
const LONGEST = 4000;

/** Script of every page: the search, the filter of long tables, and the menu that is folded on phones. */
export const PAGE_SCRIPT = `'use strict';
(() => {
  const root = document.body.dataset.root;
  const form = document.querySelector('.find');
  const input = form.querySelector('input');
  const list = form.querySelector('.found');
  let loading = null;

  const load = () => (loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = root + 'search.js';
    script.onload = resolve;
    script.onerror = () => reject(new Error('The index of the search is missing.'));
    document.head.append(script);
  }));

  const say = (text) => {
    const item = document.createElement('li');
    const line = document.createElement('p');
    line.textContent = text;
    item.append(line);
    list.replaceChildren(item);
  };

  const show = async () => {
    const words = input.value.trim();
    if (words === '') return list.replaceChildren();
    try {
      await load();
    } catch (error) {
      return say(error.message);
    }
    if (input.value.trim() !== words) return;
    const found = window.searchSite(words);
    if (found.length === 0) return say('Nothing found.');
    list.replaceChildren(...found.map(({ page, heading, address, text }) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = root + address;
      link.textContent = heading === '' ? page : page + ': ' + heading;
      const more = document.createElement('small');
      more.textContent = text.slice(0, 110);
      link.append(more);
      item.append(link);
      return item;
    }));
  };

  input.addEventListener('focus', () => void load().catch(() => {}), { once: true });
  input.addEventListener('input', () => void show());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  form.addEventListener('keydown', (event) => {
    const links = [input, ...list.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement);
    if (event.key === 'Escape') { input.value = ''; list.replaceChildren(); input.focus(); }
    if (event.key === 'ArrowDown') { links[Math.min(at + 1, links.length - 1)].focus(); event.preventDefault(); }
    if (event.key === 'ArrowUp') { links[Math.max(at - 1, 0)].focus(); event.preventDefault(); }
  });
  document.addEventListener('click', (event) => { if (!form.contains(event.target)) list.replaceChildren(); });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && document.activeElement !== input) { input.focus(); event.preventDefault(); }
  });
  // A filter above each long table; "?rows=words" in the address is a permanent link to the filtered rows.
  const asked = new URLSearchParams(location.search).get('rows') ?? '';
  for (const table of document.querySelectorAll('main table')) {
    const rows = [...table.tBodies[0]?.rows ?? []];
    if (rows.length < 15) continue;
    const filter = document.createElement('input');
    filter.type = 'search';
    filter.className = 'rows';
    filter.placeholder = 'Filter the ' + rows.length + ' rows';
    filter.setAttribute('aria-label', filter.placeholder);
    const apply = () => {
      const words = filter.value.toLowerCase().split(/\\s+/);
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    };
    filter.addEventListener('input', () => {
      apply();
      const words = filter.value.trim();
      try {
        history.replaceState(null, '', location.pathname + (words === '' ? '' : '?rows=' + encodeURIComponent(words)) + location.hash);
      } catch {
        // A page from disk may keep its address.
      }
    });
    filter.value = asked;
    apply();
    table.before(filter);
  }
  // Choices above all cards of a page: the anomalies, levels and databases that they state.
  const cards = [...document.querySelectorAll('details.card')];
  if (cards.length > 0) {
    const chosen = new Map();
    const bar = document.createElement('p');
    bar.className = 'filters';
    for (const name of ['anomaly', 'level', 'database']) {
      const values = [...new Set(cards.map(({ dataset }) => dataset[name]).filter(Boolean))].sort();
      const select = document.createElement('select');
      select.setAttribute('aria-label', name);
      select.append(new Option('every ' + name, ''), ...values.map((value) => new Option(value, value)));
      select.addEventListener('change', () => {
        chosen.set(name, select.value);
        for (const card of cards)
          card.hidden = ![...chosen].every(([each, value]) => value === '' || card.dataset[each] === value);
        for (const box of document.querySelectorAll('.cards')) box.hidden = box.querySelector('.card:not([hidden])') === null;
      });
      bar.append(select);
    }
    document.querySelector('main h2').before(bar);
  }
  const menu = document.querySelector('.menu details');
  const narrow = window.matchMedia('(max-width: 59.99rem)');
  const fold = () => { menu.open = !narrow.matches; };
  narrow.addEventListener('change', fold);
  fold();
})();
`;
