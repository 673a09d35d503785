import { expect, test } from 'vitest';
import { parse } from '@isolab/needs/browser';
import { type Drawing, drawingOf, pdfOf, svgOf } from '../src/index.ts';
import { textWidth } from '../src/chart/text-width.ts';
import { experiment, row } from './experiments.ts';

const ROWS = [5, 10, 15].flatMap((x) => [row('PolySI', x, x / 10), row('dbcop', x, x)]);

const drawn = async (more: Parameters<typeof experiment>[0] = {}, column?: number): Promise<Drawing> =>
  (await drawingOf(experiment(more), ROWS, column === undefined ? {} : { column }))!;

const textsOf = ({ items }: Drawing): string[] => items.flatMap((item) => (item.kind === 'text' ? [item.text] : []));

test('a drawing has every marker at its place, and the names of axes and series as text', async () => {
  const drawing = await drawn();
  const markers = drawing.items.filter(
    (item) => item.kind === 'path' && item.fill === '#ffffff' && item.stroke === '#0072b2',
  );
  const xs = markers.map((item) => (item.kind === 'path' ? item.segments[0]![1]! : 0));
  // Three of PolySI here, and two in the paper.
  expect(markers).toHaveLength(5);
  const here = xs.slice(0, 3).toSorted((a, b) => a - b);
  expect(here[1]! - here[0]!).toBeCloseTo(here[2]! - here[1]!, 0);
  expect(textsOf(drawing)).toEqual(expect.arrayContaining(['sessions', 'time (s)', 'PolySI', 'dbcop', 'in the paper']));
  for (const item of drawing.items)
    if (item.kind === 'text')
      expect(item.x >= 0 && item.x <= drawing.width && item.y > 0 && item.y <= drawing.height).toBe(true);
});

test('an SVG file is small and follows the colour scheme of its reader', async () => {
  const svg = svgOf(await drawn({ title: 'A < B & C' }));
  const root = parse(svg);
  expect(root.name).toBe('svg');
  expect(svg.length).toBeLessThan(8000);
  expect(svg).toContain('<title>polysi/fig6a: A &lt; B &amp; C</title>');
  expect(svg).toContain('>PolySI</text>');
  expect(svg).not.toMatch(/<image|@font-face|href="(?!#)|NaN|undefined/);
  const [light, dark] = svg.split('@media(prefers-color-scheme:dark)');
  for (const [look, colour] of [...light!.matchAll(/\.(\w+)\{fill:#222222/g)].map(([, name]) => [name!, '#e6e8eb']))
    expect(dark).toContain(`.${look}{fill:${colour}`);
  expect(light).toContain('stroke:#0072b2');
  expect(dark).toContain('stroke:#5ab4f0');
});

test('an SVG for white paper has no ground and one set of colours', async () => {
  const svg = svgOf(await drawn(), { ground: false });
  expect(svg).not.toMatch(/prefers-color-scheme|class="ground"/);
});

test('a shape that is drawn often is written once', async () => {
  const svg = svgOf(await drawn());
  const [, name] = /<path id="(m\d+)"/.exec(svg)!;
  expect(svg.match(new RegExp(`href="#${name}"`, 'g'))!.length).toBeGreaterThan(2);
});

test('a PDF has the width that was asked for, its text as text, and a table of objects that is right', async () => {
  const drawing = await drawn({ title: 'Zeit (α) \\ ≥ 2 – Größe' }, 386);
  const pdf = pdfOf(drawing, 241);
  expect(pdf).toMatch(/^%PDF-1\.4\n/);
  expect(pdf).toMatch(/^[\n\u0020-\u007e]*$/);
  const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf)!;
  expect(Number(width)).toBe(241);
  expect(Number(height)).toBeCloseTo((241 * drawing.height) / drawing.width, 2);
  expect(pdf).toContain('(time \\(s\\)) Tj');
  expect(pdf).toContain(String.raw`/Title (polysi/fig6a: Zeit \(?\) \\ >= 2 \226 Gr\366\337e)`);
  expect(pdf).not.toMatch(/NaN|undefined|e-\d/);
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(pdf)![1]);
  expect(pdf.slice(start)).toMatch(/^xref\n0 6\n/);
  const places = [...pdf.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, place]) => Number(place));
  expect(places.map((place, i) => pdf.slice(place).startsWith(`${i + 1} 0 obj\n`))).toEqual(Array(5).fill(true));
  const [, length, content] = /<<\/Length (\d+)>>\nstream\n([\s\S]*?)\nendstream/.exec(pdf)!;
  expect(content).toHaveLength(Number(length));
});

test('in a column all is inside, with the legend below the plot', async () => {
  for (const chart of ['lines', 'bars'] as const) {
    const drawing = await drawn({ chart }, 386);
    expect(drawing.width).toBeGreaterThan(380);
    expect(drawing.width).toBeLessThan(392);
    const words = drawing.items.filter((item) => item.kind === 'text');
    const axis = words.find(({ text }) => text === 'sessions')!;
    for (const name of ['PolySI', 'dbcop']) expect(words.find(({ text }) => text === name)!.y).toBeGreaterThan(axis.y);
    for (const { text, x, size, align, angle } of words)
      if (Math.abs(angle) < 1 && align === 'left') expect(x + textWidth(text, size)).toBeLessThan(drawing.width);
  }
});

test('stages have a drawing, tables have none', async () => {
  const stages = { chart: 'stacked-bars', y: { label: 'time', scale: 'linear', metric: 'stages' } } as const;
  expect(textsOf(await drawn(stages, 386))).toEqual(expect.arrayContaining(['construct', 'solve']));
  expect(await drawingOf(experiment({ chart: 'table' }), ROWS)).toBeNull();
  expect(await drawingOf(experiment({ published: {} }), [])).toBeNull();
});

test('text is as wide as Helvetica', () => {
  expect(textWidth('Hello', 1000)).toBe(722 + 556 + 222 + 222 + 556);
  expect(textWidth('', 10)).toBe(0);
});
