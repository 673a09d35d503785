import { describe, expect, test } from 'vitest';
import { type Repository, linkTo, targetOf } from '../src/links.ts';
import { renderMarkdown, slug } from '../src/markdown.ts';

const same = (link: string): string => link;

describe('anchors', () => {
  test.each([
    ['What it rests on', 'what-it-rests-on'],
    ['C.1 History: model, and `levels`', 'c1-history-model-and-levels'],
    ['Größe & Maß', 'größe--maß'],
    ['isolab check', 'isolab-check'],
  ])('anchors of %s', (heading, id) => expect(slug(heading.replaceAll('`', ''))).toBe(id));

  test('anchors of headings that are twice in a page', () => {
    const { headings } = renderMarkdown('# A\n\n## Options\n\n## Options\n\n## `a`b\n', same);
    expect(headings.map(({ id }) => id)).toEqual(['a', 'options', 'options-1', 'ab']);
  });
});

test('text of a page cannot become markup', () => {
  const { html } = renderMarkdown('`<script>` and\n\n```html\n<script>x</script>\n```\n\n[a](x"y)', same);
  expect(html).not.toMatch(/<script|"x"y"/);
});

test('sections have their text without markup', () => {
  const { sections, title } = renderMarkdown(
    '# T\n\nIntro *here*.\n\n## A\n\n| a | b |\n| - | - |\n| `1 < 2` | x |\n',
    same,
  );
  expect(title).toBe('T');
  expect(sections).toEqual([
    { heading: 'T', id: 't', text: 'Intro here .' },
    { heading: 'A', id: 'a', text: 'a b 1 < 2 x' },
  ]);
});

describe('links of pages', () => {
  const repository: Repository = {
    files: new Set(['README.md', 'docs/a.md', 'docs/b.svg', 'src/c.ts', 'pkg/README.md', 'data/x.jsonl']),
    folders: new Set(['docs', 'src', 'pkg', 'data']),
    address: null,
  };
  const follow = (link: string, from = 'docs/a.md', address: string | null = null): string | null =>
    linkTo(targetOf(link, from, repository), from.replace('.md', '.html'), { ...repository, address });

  test.each([
    ['https://example.org/x', 'https://example.org/x'],
    ['../README.md', '../index.html'],
    ['../pkg', '../pkg/index.html'],
    ['../pkg/README.md#install', '../pkg/index.html#install'],
    ['#here', 'a.html#here'],
    ['b.svg', 'b.svg'],
    ['../src/c.ts', '../source/src/c.ts.txt'],
    ['../src', null],
    ['../gone.md', null],
  ])('%s', (link, expected) => expect(follow(link)).toBe(expected));

  test('a folder without a page leads to the repository, where it has an address', () =>
    expect(follow('../src', 'docs/a.md', 'https://h/o/n')).toBe('https://h/o/n/tree/main/src'));

  test('a missing target of a link is reported', () =>
    expect(targetOf('gone.md', 'docs/a.md', repository)).toEqual({ kind: 'missing', path: 'docs/gone.md' }));
});
