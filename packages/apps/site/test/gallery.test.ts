import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { type Gallery, gallery } from '../src/reference/gallery.ts';

const datasets = process.env['ISOLAB_DATASETS'];

function expectWhole({ text, pictures }: Gallery): void {
  const shown = new Set([...text.matchAll(/(?:\]\(|src="|srcset=")(gallery\/[^)"]+)/g)].map(([, path]) => path!));
  expect([...shown].toSorted()).toEqual(pictures.map(({ path }) => path).toSorted());
  for (const content of [text, ...pictures.map((each) => each.content)])
    expect(content).not.toMatch(/\/(work|home|tmp)\//);
}

describe('the gallery', () => {
  test('without datasets has the anomalies, and names the other bugs', async () => {
    const made = await gallery(undefined);
    expectWhole(made);
    expect(made.pictures.length).toBeGreaterThan(40);
    expect(made.text).toContain('### YugabyteDB 2.11.1.0\n\nFigure 13');
    expect(made.text).toContain('Its picture needs ISOLAB_DATASETS.');
    expect(made.text).toMatch(/^## The bugs of MTC\n/); // chapters without a picture come last
    expect(made.text.indexOf('## The bugs of PolySI')).toBeGreaterThan(made.text.indexOf('## Lists'));
  });

  test('with datasets draws the bugs of real databases, too', unless('datasets'), async () => {
    const made = await gallery(datasets);
    expectWhole(made);
    expect(made.pictures.length).toBeGreaterThan(60);
    expect(made.text).not.toContain('needs ISOLAB_DATASETS');
  });
});
