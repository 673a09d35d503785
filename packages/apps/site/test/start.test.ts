import { expect, test } from 'vitest';
import { type Sources, startPage } from '../src/start.ts';

const sources: Sources = {
  readme:
    '<h1>isolab</h1>\n<p>isolab reads. It shows.</p><h2 id="start">Start</h2><h2 id="what-it-is-for">For</h2><ul><li><strong>You</strong>: read</li></ul><h2 id="more">More</h2>',
  render: (markdown) => `<p>${markdown}</p>`,
  board:
    '# The board\n\nAll.\n\n## A bug: at last\n\nIt is. [The whole finding](b/README.md).\n\n## Seen\n\n| anomaly | database | releases | level | standing | found |\n| --- | --- | --- | --- | --- | --- |\n| **Write skew** | H2 | [2](a.md), [1](b.md) | serializable (serializable) | known | 2026-11-29 |\n',
  speed:
    'With 1,000,000 transactions of 15 operations it took 8 instead of 9 s at SI, 7.4 instead of 9.8 s at serializable.',
};

test('the start page has the first sentence, an example with its picture, uses, the newest finding and a time', async () => {
  const html = await startPage(sources);
  expect(html).toContain('<h1 id="isolab">isolab reads.</h1>\n<p class="lead">It shows.</p>');
  expect(html).toMatch(/<textarea[^>]*>w\(x,1\)/);
  expect(html.match(/<svg /g)).toHaveLength(2);
  expect(html).toContain('<ul class="doors"><li><strong>You</strong>Read</li></ul>');
  expect(html).toContain('<p>[A bug: at last](b/README.md)</p>');
  expect(html).toContain('Newest: **Write skew** in H2 [2](a.md) at serializable, 2026-11-29.');
  expect(html).toContain('<b>7.4 s</b>');
  expect(html).toContain('<h2 id="more">');
  expect(html).not.toContain('what-it-is-for');
});

test.each([
  [{ readme: '<h1>isolab</h1>' }, 'README.md has no first paragraph'],
  [{ board: '' }, 'reports/field/README.md has no row of findings'],
  [{ speed: 'fast' }, 'docs/speed.md does not state the time'],
])('a page without a part of the start page is named', async (changed, message) => {
  await expect(startPage({ ...sources, ...changed })).rejects.toThrow(message);
});
