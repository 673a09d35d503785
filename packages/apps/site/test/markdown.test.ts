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

test('a name that stands alone as code or in bold type leads to its page, outside of links and headings', () => {
  const pageOf = (name: string): string | null => (/^(G1a|write skew)$/i.test(name) ? `${name}.html` : null);
  const { html } = renderMarkdown(
    '# `G1a`\n\n`G1a`, **Write skew**, `G1a or not`, [`G1a`](x)\n\n| a |\n| - |\n| `G1a` |\n',
    same,
    { pageOf },
  );
  expect(html.match(/<a href="[^"#]*">/g)).toEqual([
    '<a href="G1a.html">',
    '<a href="Write skew.html">',
    '<a href="x">',
    '<a href="G1a.html">',
  ]);
});

test('code is wrapped unless it has columns, and comments are no columns', () => {
  const classOf = (line: string): boolean =>
    renderMarkdown(`~~~\n${`${line}\n`.repeat(3)}~~~`, same).html.includes('wraps');
  expect([classOf('isolab check'), classOf('isolab check     # a comment'), classOf('check     a column')]).toEqual([
    true,
    true,
    false,
  ]);
});

test('an option of a command is not broken after its hyphens', () => {
  const { html, sections } = renderMarkdown(
    '# T\n\n`isolab check a-b --level si`\n\n```\nnpm run x -- -v\n```\n',
    same,
  );
  expect(html.match(/<span class="whole">[^<]*/g)).toEqual(['<span class="whole">--level', '<span class="whole">-v']);
  expect(sections[0]!.text).toContain('isolab check a-b --level si');
});

test('a table keeps dates whole, and gives room to long texts', () => {
  const { html } = renderMarkdown(
    `| a | b | c |\n| - | - | - |\n| 2026-11-29 | [no](${'x'.repeat(50)}) | ${'long '.repeat(10)} |\n`,
    same,
  );
  expect(html.match(/<td[^>]*>/g)).toEqual(['<td class="whole">', '<td>', '<td class="long">']);
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
    ['b.svg#part', 'b.svg#part'],
    ['../src/c.ts', '../source/src/c.ts.txt'],
    ['../src', null],
    ['../gone.md', null],
  ])('%s', (link, expected) => expect(follow(link)).toBe(expected));

  test('a folder without a page leads to the repository, where it has an address', () =>
    expect(follow('../src', 'docs/a.md', 'https://h/o/n')).toBe('https://h/o/n/tree/main/src'));

  test('a missing target of a link is reported', () =>
    expect(targetOf('gone.md', 'docs/a.md', repository)).toEqual({ kind: 'missing', path: 'docs/gone.md' }));
});
