import { describe, expect, test } from 'vitest';
import { type Box, common } from '../src/draw/boxes.ts';
import { drawDot } from '../src/draw/dot.ts';
import { endY, layoutOf } from '../src/draw/layout.ts';
import { TooLargeError } from '../src/draw/limits.ts';
import { Points } from '../src/draw/points.ts';
import { routesOf } from '../src/draw/route.ts';
import { EDGE_STYLES } from '../src/draw/style.ts';
import { inOneLane } from '../src/draw/seen.ts';
import { drawSvg } from '../src/draw/svg.ts';
import { storyMarkdown } from '../src/view/story-markdown.ts';
import type { Story } from '../src/story/story.ts';
import { struckLines } from '../src/story/struck.ts';
import {
  edge,
  hostile,
  large,
  longFork,
  lostUpdate,
  operation,
  phantom,
  staged,
  transaction,
  witnessed,
} from './stories.ts';
import { type Element, all, hasClass, parse, textOf } from '@isolab/needs/browser';

/** A story during which a server was killed, and a client never learned the outcome of its transaction. */
const struck: Story = {
  ...lostUpdate,
  clock: {
    spans: lostUpdate.transactions
      .filter(({ session }) => session !== null)
      .map(({ id }, i) => ({ transaction: id, beginMs: 10 * i, endMs: i === 0 ? null : 10 * i + 5 })),
    faults: [
      { text: 'node 0 was ended with <kill −9>', beginMs: 3, endMs: 12, during: [lostUpdate.transactions[0]!.id] },
      { text: 'nothing came through', beginMs: 14, endMs: null, during: [] },
    ],
  },
};

const stories: [string, Story][] = [
  ['faults', struck],
  ['lost update', lostUpdate],
  ['long fork', longFork],
  ['scans', phantom],
  ['witness', witnessed],
  ['forty transactions', large(40)],
  ['hostile names', hostile(lostUpdate)],
  ['nothing', { ...longFork, sessions: [], transactions: [], edges: [] }],
];

describe.each(stories)('the picture of %s', (_, story) => {
  test('the picture is well-formed in every variant and the same each time', () => {
    for (const options of [
      {},
      { theme: 'dark' },
      { theme: 'auto' },
      { refuted: true, interactive: true },
      { cycleOnly: true, frame: false },
    ] as const) {
      const svg = drawSvg(story, options);
      expect(parse(svg).name).toBe('svg');
      expect(drawSvg(structuredClone(story), options)).toBe(svg);
    }
  });

  test('the picture has every transaction, operation and edge once', () => {
    const svg = parse(drawSvg(story, { refuted: true }));
    const indexes = (name: string): number[] =>
      all(svg, (element) => element.attributes[name] !== undefined && !hasClass('label')(element)).map(
        ({ attributes }) => Number(attributes[name]),
      );
    expect(indexes('data-transaction').toSorted((a, b) => a - b)).toEqual([...story.transactions.keys()]);
    expect(indexes('data-edge').toSorted((a, b) => a - b)).toEqual([...story.edges.keys()]);
    expect(all(svg, hasClass('operation'))).toHaveLength(
      story.transactions.flatMap(({ operations }) => operations).length,
    );
  });

  test('the picture has no two cells on top of one another, and all of them inside', () => {
    const { cells, width, height } = layoutOf(story);
    const boxes = [...cells.values()];
    for (const [i, cell] of boxes.entries()) {
      for (const other of boxes.slice(0, i)) expect(common(cell, other)).toBe(0);
      expect(cell.x).toBeGreaterThanOrEqual(0);
      expect(cell.x + cell.width).toBeLessThanOrEqual(width);
      expect(cell.y + cell.height).toBeLessThanOrEqual(height);
    }
  });

  test('the picture is valid as DOT up to quoting: every quote is closed and every edge is there', () => {
    const dot = drawDot(story, { refuted: true });
    const bare = dot.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
    expect(bare.replaceAll('""', '')).not.toContain('"');
    expect(bare.match(/ -> .* \[label=/g) ?? []).toHaveLength(story.edges.length);
    expect(bare.split('{')).toHaveLength(bare.split('}').length);
  });
});

describe('the layout', () => {
  test('the layout puts reads below their writes, and sessions in their order', () => {
    const { cells } = layoutOf(lostUpdate);
    const y = (id: string, row: number): number => cells.get(id)!.rows[row]!.y;
    expect(y('T423', 0)).toBeGreaterThan(y('T949', 0));
    expect(y('T830', 0)).toBeGreaterThan(y('T949', 0));
    expect(cells.get('T951')!.y).toBeGreaterThan(cells.get('T830')!.y);
    expect(cells.get('T423')!.x).toBeLessThan(cells.get('T949')!.x);
  });

  test('the layout puts two transactions that only overwrite the version of the other side by side', () => {
    const skew: Story = {
      ...longFork,
      sessions: longFork.sessions.slice(0, 2),
      transactions: [
        transaction('A', '1', [operation('a1', 'x → 0'), operation('a2', 'y := 1')]),
        transaction('B', '2', [operation('b1', 'y → 0'), operation('b2', 'x := 1')]),
      ],
      edges: [
        edge('1', 'A.a1', 'B.b2', 'anti-dependency', { part: 'cycle', number: 1 }),
        edge('2', 'B.b1', 'A.a2', 'anti-dependency', { part: 'cycle', number: 2 }),
      ],
    };
    const { cells } = layoutOf(skew);
    expect(cells.get('A')!.y).toBe(cells.get('B')!.y);
  });

  test('the layout gives a scan as many lines as its condition takes, and ends edges at the rows below it', () => {
    const [cell] = layoutOf(phantom).lanes[0]!.cells;
    const [scan, missed, insert] = cell!.rows;
    expect(insert!.lines).toEqual(['insert bookings/1', ' {begin: 10, end: 12, room: 7}']);
    expect(scan!.lines.slice(0, 2)).toEqual(['scan bookings', ' where room = 7 and begin < 12']);
    expect(scan!.lines.length).toBeGreaterThan(3);
    expect(Math.max(...scan!.lines.map((line) => line.length))).toBeLessThanOrEqual(30);
    expect(missed!.y).toBe(scan!.y + scan!.height);
    expect(endY(cell!, { transaction: 'T1', operation: 'a1' })).toBe(missed!.y + missed!.height / 2);
    const drawn = drawSvg(phantom);
    for (const line of scan!.lines)
      expect(drawn).toContain(line.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll("'", '&#39;'));
    expect(drawDot(phantom)).toContain(String.raw`count\ 0\ of\ bookings\ where\ room\ =\ 7`);
  });

  test('the layout survives a cycle of read-from, an edge to itself and ends that do not exist', () => {
    const odd: Story = {
      ...longFork,
      edges: [
        edge('1', 'T1.p1', 'T3.p2', 'read-from'),
        edge('2', 'T3.p3', 'T1.p1', 'read-from'),
        edge('3', 'T1.p1', 'T1.p1', 'read-from'),
        edge('4', 'T1.nowhere', 'T3', 'write-order'),
        edge('5', 'T1', 'nobody', 'session'),
        edge('6', '⊥', '⊥', 'session'),
      ],
    };
    const svg = parse(drawSvg(odd));
    expect(all(svg, hasClass('edge', 'label'))).toHaveLength(5);
    expect(drawSvg(odd)).not.toContain('NaN');
  });

  test('the layout lets no edge between lanes run through a cell, nor a label lie on one where there is room', () => {
    for (const story of [lostUpdate, longFork, witnessed]) {
      const layout = layoutOf(story);
      for (const { label, path } of routesOf(story, layout)) {
        for (const cell of layout.cells.values()) expect(common(label, cell)).toBe(0);
        // Where a line crosses a lane it is level; there it must not be inside of a cell.
        for (const [, x, y] of path.matchAll(/([\d.]+),([\d.]+)H/g)) {
          for (const cell of layout.cells.values()) {
            const inside =
              Number(y) > cell.y && Number(y) < cell.y + cell.height && Number(x) >= cell.x - 9 && Number(x) < cell.x;
            expect(inside).toBe(false);
          }
        }
      }
    }
  });

  test('the layout says how many transactions are hidden where they are, and in all', () => {
    const text = textOf(parse(drawSvg(lostUpdate)));
    expect(text).toContain('12 hidden');
    expect(text).toContain('31 hidden');
    expect(text).toContain('1,234 transactions of 10 sessions');
    expect(textOf(parse(drawSvg(lostUpdate, { cycleOnly: true, frame: false })))).not.toContain('⋮ 12 hidden');
  });
});

describe('edges', () => {
  test('edges have the line styles of the field, the cycle its numbers, and refuted ones are drawn only when asked for', () => {
    const svg = parse(drawSvg(longFork));
    const line = (kind: string): string | undefined =>
      all(all(svg, hasClass('edge', kind, 'cycle'))[0]!, hasClass('line'))[0]!.attributes['stroke-dasharray'];
    expect(line('anti-dependency')).toBe('7 4');
    expect(line('read-from')).toBeUndefined();
    expect(all(svg, hasClass('number')).map(({ text }) => text)).toEqual(['1', '2', '3', '4']);
    expect(all(parse(drawSvg(lostUpdate)), hasClass('refuted'))).toHaveLength(0);
    expect(all(parse(drawSvg(lostUpdate, { refuted: true })), hasClass('edge', 'label', 'refuted'))).toHaveLength(2);
  });

  test('edges of the cycle alone are drawn with its transactions alone', () => {
    const svg = parse(drawSvg(lostUpdate, { cycleOnly: true }));
    expect(all(svg, hasClass('cell')).map(({ attributes }) => attributes['data-transaction'])).toEqual(['0', '2']);
    expect(all(svg, hasClass('label')).map(({ attributes }) => attributes['data-edge'])).toEqual(['2', '3']);
  });

  test('edges are described to readers who do not see them', () => {
    const description = all(parse(drawSvg(longFork)), ({ name }) => name === 'desc')[0]!;
    expect(textOf(description)).toContain('1. WR x: T1.p1 comes before T3.p2.');
    expect(textOf(description)).toContain('4. RW x');
  });
});

test('a stage has its own transactions and edges, with uncertain edges dashed with a question mark', () => {
  const linesOf = (picture: string): Element[] =>
    all(
      parse(picture),
      (one) => hasClass('edge')(one) && one.attributes['data-edge'] !== undefined && !hasClass('label')(one),
    );
  const whole = drawSvg(staged);
  expect(linesOf(whole)).toHaveLength(linesOf(drawSvg(lostUpdate)).length);
  expect(whole).not.toContain('staged');
  const restored = drawSvg(staged, { stage: 'restored' });
  expect(linesOf(restored)).toHaveLength(7);
  expect(all(parse(restored), hasClass('cell'))).toHaveLength(3);
  expect(restored.match(/stroke-dasharray="4 5"/g)).toHaveLength(2);
  expect(restored.match(/>WW object2\?</g)).toHaveLength(2);
  expect(restored).toContain('What it stems from is brought back.');
  expect(drawDot(staged)).toBe(drawDot(lostUpdate));
});

test('the legend explains every kind of edge', () => {
  for (const { gloss } of Object.values(EDGE_STYLES)) expect(gloss.length).toBeGreaterThan(10);
  expect(drawSvg(lostUpdate)).toContain(`RW anti-dependency: ${EDGE_STYLES['anti-dependency'].gloss}`);
});

test('a label lies beside the lines, not on one', () => {
  for (const story of [lostUpdate, longFork]) {
    for (const isNarrow of [false, true]) {
      const routes = routesOf(story, layoutOf(isNarrow ? inOneLane(story) : story, isNarrow));
      const points = new Points();
      for (const { path } of routes) for (const point of along(path)) points.add(point);
      const inside = ({ x, y, width, height }: Box): Box => ({
        x: x + 2,
        y: y + 2,
        width: width - 4,
        height: height - 4,
      });
      const covering = routes.filter(({ label }) => points.covered(inside(label)) > 0);
      expect({ isNarrow, covering: covering.map(({ label }) => label) }).toEqual({ isNarrow, covering: [] });
    }
  }
});

/** Points of a path of lines and curves. */
function along(path: string): { x: number; y: number }[] {
  const found: { x: number; y: number }[] = [];
  let at = { x: 0, y: 0 };
  for (const [, kind, list] of path.matchAll(/([MHC])([^MHC]*)/g)) {
    const [a, b, c, d, e, f] = list!.split(/[ ,]/).map(Number) as [number, number, number, number, number, number];
    const end = kind === 'M' ? { x: a, y: b } : kind === 'H' ? { x: a, y: at.y } : { x: e, y: f };
    const [one, two] =
      kind === 'C'
        ? [
            { x: a, y: b },
            { x: c, y: d },
          ]
        : [at, end];
    const mix = (k: 'x' | 'y', t: number): number =>
      (1 - t) ** 3 * at[k] + 3 * (1 - t) ** 2 * t * one[k] + 3 * (1 - t) * t * t * two[k] + t ** 3 * end[k];
    if (kind !== 'M') for (let i = 0; i <= 40; i++) found.push({ x: mix('x', i / 40), y: mix('y', i / 40) });
    at = end;
  }
  return found;
}

test('a narrow picture fits a phone with text of at least 11 pixels', () => {
  for (const story of [lostUpdate, longFork, struck]) {
    const svg = parse(drawSvg(story, { frame: false, narrow: true }));
    const scale = Math.min(1, PHONE / Number(svg.attributes['width']));
    const sizes = all(svg, ({ attributes }) => attributes['font-size'] !== undefined);
    for (const { attributes } of sizes) expect(scale * Number(attributes['font-size'])).toBeGreaterThanOrEqual(10.5);
  }
});
/** Room for a picture on a phone of 390 pixels, between its margins. */
const PHONE = 364;

test('a thousand transactions are drawn, one more is refused with a reason', () => {
  expect(all(parse(drawSvg(large(200))), hasClass('cell'))).toHaveLength(200);
  const most = large(1000, 40);
  expect(drawDot(most)).toContain('digraph');
  const more = { ...most, transactions: [...most.transactions, transaction('extra', 's0', [])] };
  expect(() => drawSvg(more)).toThrow(TooLargeError);
  expect(() => drawDot(more)).toThrow('cannot draw 1,001 transactions (limit: 1,000); shrink the history first');
});

describe('the axis of time', () => {
  test('the axis of time has a bar for each transaction, and a band and a line for each fault', () => {
    const svg = parse(drawSvg(struck));
    const classed = (name: string) => all(svg, hasClass(name));
    expect(classed('bar').length).toBe(struck.clock!.spans.length);
    expect(classed('fault').length).toBe(2);
    expect(struckLines(struck)).toEqual([
      expect.stringMatching(/^node 0 was ended with <kill −9>, from 0\.003 s to 0\.012 s, during T\d+$/),
      'nothing came through, from 0.014 s on',
    ]);
    expect(storyMarkdown(struck)).toContain('**Meanwhile:** nothing came through, from 0.014 s on');
  });

  test('the axis of time states when a transaction began, was answered, asked to commit and ended', () => {
    const [first] = lostUpdate.transactions.filter(({ session }) => session !== null);
    const spans = [{ transaction: first!.id, beginMs: 5, begunMs: 7, committingMs: 8.5, endMs: 9 }];
    const svg = drawSvg({ ...lostUpdate, clock: { spans, faults: [], unit: 'ms' } });
    expect(svg).toContain(
      `${first!.label}: began at 0 ms, first answer at 2 ms, asked to commit at 3.5 ms, ended at 4 ms`,
    );
    expect(textOf(parse(svg))).toContain('pale: waiting for an answer');
  });

  test('the axis of time has the unit that suits its length, and labels that fit beside it', () => {
    const [first] = lostUpdate.transactions.filter(({ session }) => session !== null);
    const sessions = lostUpdate.sessions.map((session) => ({ ...session, label: 'a session with a long name' }));
    const at = (endMs: number): string => {
      const clock = { spans: [{ transaction: first!.id, beginMs: 0, endMs }], faults: [], unit: 'ms' } as const;
      return textOf(parse(drawSvg({ ...lostUpdate, sessions, clock })));
    };
    expect(at(0.000_035)).toMatch(/0 ns\s*10 ns\s*20 ns\s*30 ns/);
    expect(at(0.000_035)).toContain('a sessi…ame');
    expect(at(0.4)).toContain('100 µs');
    expect(at(4)).toContain('1 ms');
    expect(at(4000)).toContain('1 s');
  });

  test('the axis of time is not there in a history without times', () => {
    expect(drawSvg(lostUpdate)).not.toContain('clock');
  });
});
