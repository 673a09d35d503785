import { describe, expect, test } from 'vitest';
import type { Story } from '../src/story/story.ts';
import { storyMarkdown } from '../src/view/story-markdown.ts';
import { viewHtml } from '../src/view/view-html.ts';
import { HOSTILE, withoutPicture, hostile, large, longFork, lostUpdate, witnessed } from './stories.ts';
import { type Element, all, hasClass, parse, textOf } from '@isolab/needs/browser';

const pageOf = (story: Story): Element => parse(viewHtml(story), { html: true });
const byId = (page: Element, id: string): Element | undefined => all(page, ({ attributes }) => attributes.id === id)[0];
const dataOf = (page: Element): any => JSON.parse(byId(page, 'data')!.text); // oxlint-disable-line typescript/no-explicit-any -- the tests say what is in it
const numbers = (text = ''): number[] =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .map(Number);

const stories: [string, Story][] = [
  ['lost update', lostUpdate],
  ['long fork', longFork],
  ['witness', witnessed],
  ['two hundred transactions', large(200)],
  ['hostile names', hostile(lostUpdate)],
  ['a hostile witness', hostile(witnessed)],
];

describe.each(stories)('the page of %s', (_, story) => {
  const page = pageOf(story);

  test('the page is one small file that loads nothing', () => {
    expect(viewHtml(story).length).toBeLessThan(2_000_000);
    for (const { attributes } of all(page)) {
      expect(attributes.src).toBeUndefined();
      if (attributes.href !== undefined) expect(attributes.href).toMatch(/^#/);
    }
    const styles = all(page, ({ name }) => name === 'style')
      .map(({ text }) => text)
      .join('');
    expect(styles).not.toMatch(/url\(|@import/);
    expect(viewHtml(story)).toContain(`default-src 'none'`);
  });

  test('the page has two scripts: data, and a program that parses', () => {
    const scripts = all(page, ({ name }) => name === 'script');
    expect(scripts.map(({ attributes }) => attributes.type)).toEqual(['application/json', undefined]);
    expect(() => new Function(scripts[1]!.text)).not.toThrow();
    expect(dataOf(page).edges).toHaveLength(story.edges.length);
  });

  test('the page links sentences, chips and the picture by numbers of edges that exist', () => {
    const linked = all(page, ({ attributes }) => attributes['data-edges'] !== undefined);
    for (const { attributes } of linked) {
      for (const e of numbers(attributes['data-edges'])) expect(e).toBeLessThan(story.edges.length);
    }
    const sentences = all(page, hasClass('prose'))[0]!.children;
    expect(sentences.map(({ attributes }) => numbers(attributes['data-edges']))).toEqual(
      story.prose.map(({ edges }) => edges.map((id) => story.edges.findIndex((one) => one.id === id))),
    );
  });

  test('the page can be used with the keyboard, and every control has a name', () => {
    for (const element of all(page, ({ name }) => name === 'button' || name === 'input')) {
      expect(textOf(element) + (element.attributes['aria-label'] ?? '')).not.toBe('');
    }
    for (const element of all(byId(page, 'whole')!, (one) => hasClass('edge')(one) && !hasClass('label')(one))) {
      expect(element.attributes.tabindex).toBe('0');
      expect(element.attributes['aria-label']).not.toBe('');
    }
    const ids = all(page).flatMap(({ attributes }) => attributes.id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a derived edge', () => {
  const page = pageOf(lostUpdate);
  const reasons = all(page, hasClass('why'));

  test('a derived edge is derived where it is first spoken of, with the refuted alternative', () => {
    expect(reasons).toHaveLength(2);
    expect(numbers(reasons[0]!.attributes['data-expands'])).toEqual([2, 0, 1, 4, 5]);
    expect(textOf(reasons[0]!)).toContain('If T830 came first');
    expect(all(reasons[1]!, hasClass('refuted'))).toHaveLength(0);
  });

  test('a derived edge that is its own reason ends', () => {
    const [first, ...rest] = longFork.edges;
    const loop: Story = {
      ...longFork,
      edges: [{ ...first!, derivation: { text: 'Because.', because: [first!.id] } }, ...rest],
    };
    expect(all(pageOf(loop), hasClass('why'))).toHaveLength(1);
  });
});

test('stages, timelines and copies are there when the story has them', () => {
  const page = pageOf(lostUpdate);
  expect(byId(page, 'stage')!.children.map(textOf)).toEqual(['all', 'raw', 'restored', 'finalized']);
  expect(dataOf(page).stages[0]).toEqual({
    text: 'The cycle that the solver found.',
    transactions: [0, 2],
    edges: [2, 3],
    uncertain: [],
  });
  const versions = all(all(page, hasClass('timeline'))[0]!, ({ name }) => name === 'li');
  expect(versions.map((version) => textOf(all(version, hasClass('value'))[0]!))).toEqual(['0', '4', '5', '13']);
  expect(textOf(versions[1]!)).toContain('read by T423, T830');
  expect(dataOf(page).copies.notation).toBe(lostUpdate.copies!.notation);
  expect(dataOf(page).copies.markdown).toBe(storyMarkdown(lostUpdate));
  expect(dataOf(page).copies.fileName).toBe('lost-update.txt');
  const plain = pageOf(longFork);
  expect(byId(plain, 'stage')).toBeUndefined();
  expect(byId(plain, 'timelines')).toBeUndefined();
  expect(all(plain, ({ attributes }) => attributes['data-copy'] !== undefined)).toHaveLength(1);
});

test('a witness has a step for each transaction and a row for each key', () => {
  const page = pageOf(witnessed);
  expect(byId(page, 'step')!.attributes.max).toBe('3');
  expect(all(byId(page, 'state')!, ({ attributes }) => attributes['data-key'] !== undefined)).toHaveLength(2);
  expect(dataOf(page).witness.steps[1]).toEqual({
    transaction: 2,
    text: 'T2 reads x = 1, writes y = 2',
    changes: [['y', '2']],
  });
  expect(byId(pageOf(longFork), 'step')).toBeUndefined();
});

test('a page that would be too large is refused with a reason', () => {
  expect(() => viewHtml(large(1000, 60))).toThrow(
    /the page would take \d+\.\d MB \(limit: 2 MB\); shrink the history first/,
  );
});

test('hostile texts stay texts', () => {
  const story = hostile(lostUpdate);
  const page = pageOf(story);
  const seen = textOf(all(page, ({ name }) => name === 'h1')[0]!);
  expect(seen).toContain('<script>alert("1")</script>');
  expect(dataOf(page).copies.notation).toBe(`${lostUpdate.copies!.notation}${HOSTILE}`);
});

describe('the page of a satisfied history', () => {
  const told = [
    '8,199: 4,005 committed, 4,194 aborted',
    '5,098',
    'satisfied, checked by weave',
    'Serializability and everything weaker.',
  ];

  test('the page of a satisfied history lists the checks, their evidence and the kept levels, where there is no order to show', () => {
    const page = pageOf(withoutPicture);
    const text = textOf(page);
    for (const each of [...told, withoutPicture.prose[0]!.text, 'isolab check history.jsonl'])
      expect(text).toContain(each);
    const [lattice] = all(page, hasClass('lattice'));
    const standing = (kind: string): number => all(lattice!, hasClass(kind)).length;
    expect([standing('kept'), standing('broken')]).toEqual([2, 1]);
    expect(all(page, ({ name }) => name === 'script')).toEqual([]);
    expect(viewHtml(withoutPicture)).toContain(`default-src 'none'`);
  });

  test('the page of a satisfied history has the picture of a small order, and the same lists', () => {
    const page = pageOf({ ...witnessed, checked: withoutPicture.checked! });
    expect(byId(page, 'whole')).toBeDefined();
    for (const each of told) expect(textOf(page)).toContain(each);
  });

  test('the page of a satisfied history states that an order is too large to be drawn, and shows the rest', () => {
    const story = large(1001);
    const { checked } = withoutPicture;
    const text = textOf(pageOf({ ...story, verdict: 'satisfied', checked: checked! }));
    expect(text).toContain('The order is not drawn: cannot draw 1,001 transactions (limit: 1,000).');
    for (const each of told) expect(text).toContain(each);
    expect(() => viewHtml(story)).toThrow('cannot draw 1,001 transactions');
  });

  test('the page of a satisfied level shows no text of a stranger as markup', () => {
    expect(viewHtml(hostile(withoutPicture))).not.toContain(HOSTILE);
  });
});
