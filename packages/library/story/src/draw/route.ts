// Routes of edges. An edge leads from the side of one operation to the side of another, in the gutters between lanes,
// and crosses a lane only between its cells. All routes derive from the story's order, so that equal stories give equal
// pictures.

import type { Story, StoryEdge, StoryEnd } from '../story/story.ts';
import { elided } from '../markup/index.ts';
import { type Box, Boxes } from './boxes.ts';
import { CHARACTER, type Cell, type Lane, type Layout, LONGEST_KEY, ROW, endY } from './layout.ts';
import { Points } from './points.ts';
import { EDGE_STYLES } from './style.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A cubic curve: start, two control points, end. */
type Curve = readonly [Point, Point, Point, Point];

export interface Route {
  readonly edge: StoryEdge;
  /** Position in the story. */
  readonly index: number;
  readonly path: string;
  readonly label: Box & { readonly text: string };
}

const LINES_APART = 7;
const CROSSINGS_APART = 11;
const BADGE = 18;
const POINTS_APART = 3;
const LABEL_HEIGHT = 16;
const NEAREST = 26; // between a cell and the nearest arc
const LEAST_LEVELS = 4;

export function routesOf(story: Story, layout: Layout): Route[] {
  const router = new Router(layout);
  const ends = story.edges.flatMap((edge, index) => {
    const from = layout.cells.get(edge.from.transaction);
    const to = layout.cells.get(edge.to.transaction);
    return from && to ? [{ edge, index, from, to, sides: sidesOf(edge, from, to, layout.isNarrow) }] : [];
  });
  // Ports are assigned before any edge is drawn, sorted by the destinations of the edges, so that edges do not cross
  // next to their cells.
  for (const { edge, from, to, sides } of ends) {
    router.book(from, edge.from, sides[0], endY(to, edge.to), edge.id);
    router.book(to, edge.to, sides[1], endY(from, edge.from), edge.id);
  }
  router.nest(ends);
  const drawn = ends.map((end) => ({ ...end, curves: router.curves(end) }));
  for (const { curves } of drawn) router.addLine(curves);
  // Edges of the cycle get the best positions for their labels.
  const byWeight = drawn.toSorted((a, b) => weight(a.edge) - weight(b.edge) || a.index - b.index);
  const labels = new Map(byWeight.map(({ edge, curves }) => [edge.id, router.placeLabel(edge, curves)]));
  return drawn.map(({ edge, index, curves }) => ({
    edge,
    index,
    path: pathOf(curves),
    label: labels.get(edge.id)!,
  }));
}

const weight = ({ part }: StoryEdge): number => ['cycle', 'reason', 'context', 'refuted'].indexOf(part);

type Side = 'left' | 'right' | 'top' | 'bottom';

interface Ends {
  readonly edge: StoryEdge;
  readonly from: Cell;
  readonly to: Cell;
  readonly sides: readonly [Side, Side];
}

function sidesOf({ kind, from: begin, to: end }: StoryEdge, from: Cell, to: Cell, isNarrow: boolean): [Side, Side] {
  if (from.lane < 0 && to.lane < 0) return ['right', 'right'];
  if (from.lane < 0) return ['bottom', 'left'];
  if (to.lane < 0) return ['left', 'bottom'];
  if (from.lane < to.lane) return ['right', 'left'];
  if (from.lane > to.lane) return ['left', 'right'];
  const plain = begin.operation === undefined && end.operation === undefined;
  return kind === 'session' && plain && !isNarrow ? ['bottom', 'top'] : ['right', 'right'];
}

interface Port {
  readonly edge: string;
  readonly leadsTo: number;
}

class Router {
  readonly #layout: Layout;
  readonly #ports = new Map<string, Port[]>();
  /** Occupied heights of each lane, and occupied positions of each gutter. */
  readonly #crossings = new Map<number, number[]>();
  readonly #verticals = new Map<number, number[]>();
  readonly #labels = new Boxes();
  readonly #cells = new Boxes();
  readonly #lines = new Points();
  /** Distance of the arcs within a lane from their cells, by edge. */
  readonly #reaches = new Map<string, number>();

  constructor(layout: Layout) {
    this.#layout = layout;
    for (const cell of layout.cells.values()) this.#cells.add(cell);
    for (const { hidden, label, x: left, y: top, width } of layout.lanes) {
      const wide = [...label].length * CHARACTER;
      this.#cells.add({ x: left + (width - wide) / 2, y: top + 6, width: wide, height: 18 });
      for (const { x, y } of hidden) this.#cells.add({ x: x - 40, y: y - 12, width: 80, height: 16 });
    }
  }

  book(cell: Cell, end: StoryEnd, side: Side, leadsTo: number, edge: string): void {
    const place = placeOf(cell, end, side);
    const ports = this.#ports.get(place) ?? [];
    ports.push({ edge, leadsTo });
    this.#ports.set(place, ports);
  }

  /** Gives arcs of a lane that overlap different reaches, and longer arcs the larger ones. */
  nest(ends: readonly Ends[]): void {
    const arcs = ends.flatMap(({ edge, from, to, sides }) => {
      if (from.lane !== to.lane || sides[0] !== 'right') return [];
      const [a, b] = [endY(from, edge.from), endY(to, edge.to)];
      return [{ id: edge.id, lane: from.lane, top: Math.min(a, b), bottom: Math.max(a, b), level: 0 }];
    });
    const sorted = arcs.toSorted((a, b) => a.bottom - a.top - (b.bottom - b.top));
    sorted.forEach((arc, i) => {
      const inside = sorted
        .slice(0, i)
        .filter((other) => other.lane === arc.lane && other.top < arc.bottom && other.bottom > arc.top);
      arc.level = 1 + Math.max(0, ...inside.map(({ level }) => level));
    });
    const levels = Math.max(LEAST_LEVELS, ...arcs.map(({ level }) => level));
    const { gutter, isNarrow } = this.#layout;
    const longest = Math.max(0, ...ends.map(({ edge }) => labelWidth(edge)));
    const most = isNarrow ? Math.max(gutter / 2, gutter - longest) : gutter * 0.6;
    for (const { id, level } of arcs) this.#reaches.set(id, NEAREST + ((most - NEAREST) * (level - 1)) / (levels - 1));
  }

  curves({ edge, from, to, sides: [leave, enter] }: Ends): Curve[] {
    const begin = this.#port(from, edge.from, leave, edge.id);
    const end = this.#port(to, edge.to, enter, edge.id);
    if (leave === 'bottom' && enter === 'top') return this.#downLane(from, to);
    if (leave === 'bottom') return this.#fromBar(from, to, end);
    if (enter === 'bottom') return this.#fromBar(to, from, begin).map(backwards).toReversed();
    if (from.lane === to.lane) return [around(begin, end, this.#reaches.get(edge.id)!)];
    return this.#acrossLanes(begin, end, from.lane, to.lane);
  }

  addLine(curves: readonly Curve[]): void {
    for (const curve of curves) {
      const [a, b, c, d] = curve;
      const length = distance(a, b) + distance(b, c) + distance(c, d);
      const steps = Math.ceil((length + 1) / POINTS_APART);
      for (let i = 0; i <= steps; i++) this.#lines.add(onCurve(curve, i / steps));
    }
  }

  /** Returns the label's position with the least overlap. */
  placeLabel(edge: StoryEdge, curves: readonly Curve[]): Box & { readonly text: string } {
    const text = labelOf(edge);
    const width = labelWidth(edge);
    const height = edge.number === undefined ? LABEL_HEIGHT : LABEL_HEIGHT + 2;
    let best: Box | null = null;
    let least = Infinity;
    for (const at of [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.14, 0.86, 0.08, 0.92]) {
      const { x, y } = pointAt(curves, at);
      for (const [right, down] of besideLine(width, height)) {
        const left = Math.min(this.#layout.width - width - 2, x - width / 2 + right);
        const box = { x: Math.max(2, left), y: y - height / 2 + down, width, height };
        const cost =
          3 * this.#labels.overlap(box) +
          6 * this.#cells.overlap(box) +
          60 * this.#lines.covered(box) +
          10 * Math.abs(at - 0.5) +
          Math.hypot(right / 4, down);
        if (cost < least) [best, least] = [box, cost];
      }
    }
    this.#labels.add(best!);
    return { ...best!, text };
  }

  #port(cell: Cell, end: StoryEnd, side: Side, edge: string): Point {
    const y = endY(cell, end);
    const ports = this.#ports.get(placeOf(cell, end, side))!.toSorted((a, b) => a.leadsTo - b.leadsTo);
    const at = ports.findIndex((port) => port.edge === edge);
    const apart = Math.min(LINES_APART, (ROW - 4) / Math.max(1, ports.length - 1));
    return { x: side === 'left' ? cell.x : cell.x + cell.width, y: y + (at - (ports.length - 1) / 2) * apart };
  }

  #downLane(from: Cell, to: Cell): Curve[] {
    const x = from.x + from.width / 2;
    const [first, second] = from.y <= to.y ? [from, to] : [to, from];
    const cells = this.#layout.lanes[from.lane]!.cells;
    const begin = from === first ? from.y + from.height : from.y;
    const end = to === second ? to.y : to.y + to.height;
    if (Math.abs(cells.indexOf(from) - cells.indexOf(to)) === 1) return [straight({ x, y: begin }, { x, y: end })];
    // Passes the cells between the ends, on the side with fewer edges.
    const left = { x: from.x, y: from.y + from.height / 2 };
    return [around(left, { x: to.x, y: to.y + 12 }, -this.#layout.gutter * 0.6)];
  }

  /** Draws an edge from the initial transaction down the gutter to the left of the lane. */
  #fromBar(bar: Cell, cell: Cell, end: Point): Curve[] {
    const gutterLeft = Math.max(bar.x + 10, cell.x - this.#layout.gutter * 0.62);
    const x = free(this.#verticals, cell.lane, gutterLeft, [gutterLeft, cell.x - 10], LINES_APART);
    const begin = { x, y: bar.y + bar.height };
    const corner = { x, y: Math.max(begin.y + 4, end.y - 26) };
    return [straight(begin, corner), [corner, { x, y: end.y }, { x, y: end.y }, end]];
  }

  #acrossLanes(begin: Point, end: Point, first: number, last: number): Curve[] {
    const step = first < last ? 1 : -1;
    const curves: Curve[] = [];
    let at = begin;
    for (let l = first + step; l !== last; l += step) {
      const lane = this.#layout.lanes[l]!;
      const share = Math.abs(l - first) / Math.abs(last - first);
      const y = this.#gapIn(lane, l, begin.y + (end.y - begin.y) * share);
      const [near, far] = step > 0 ? [lane.x, lane.x + lane.width] : [lane.x + lane.width, lane.x];
      curves.push(bend(at, { x: near, y }), straight({ x: near, y }, { x: far, y }));
      at = { x: far, y };
    }
    curves.push(bend(at, end));
    return curves;
  }

  /** Returns a height between two cells of a lane, as close as possible to the wanted height. */
  #gapIn(lane: Lane, index: number, wanted: number): number {
    const solid = [
      ...lane.cells.map(({ y, height }) => [y, y + height] as const),
      ...lane.hidden.map(({ y }) => [y - 12, y + 4] as const),
    ].toSorted((a, b) => a[0] - b[0]);
    const tops = [this.#layout.top, ...solid.map(([, end]) => end)];
    const bottoms = [...solid.map(([begin]) => begin), lane.y + lane.height];
    let best = 0;
    let distance = Infinity;
    tops.forEach((top, i) => {
      if (bottoms[i]! - top < 8) return;
      const nearest = clamp(wanted, top + 5, bottoms[i]! - 5);
      if (Math.abs(nearest - wanted) < distance) [best, distance] = [i, Math.abs(nearest - wanted)];
    });
    const bounds = [tops[best]! + 5, bottoms[best]! - 5] as const;
    return free(this.#crossings, index, clamp(wanted, ...bounds), bounds, CROSSINGS_APART);
  }
}

/** Distances from a point of a line to the middle of a label: on the line, above, below, and to its sides. */
function besideLine(width: number, height: number): (readonly [right: number, down: number])[] {
  const [far, half] = [width / 2 + 5, height / 2 + 3];
  const rows = [0, -half, half, -2 * half, 2 * half, -3 * half, 3 * half];
  return rows.flatMap((down) => [0, -far, far, -far - 8, far + 8].map((right) => [right, down] as const));
}

const placeOf = (cell: Cell, end: StoryEnd, side: Side): string => `${cell.index}/${side}/${endY(cell, end)}`;

/** Returns a free line close to the wanted line and within bounds, or an occupied line if there is no free one. */
function free(
  taken: Map<number, number[]>,
  where: number,
  wanted: number,
  [low, high]: readonly [number, number],
  apart: number,
): number {
  const lines = taken.get(where) ?? [];
  taken.set(where, lines);
  for (let i = 0; i < 16; i++) {
    const line = wanted + (i % 2 === 0 ? 1 : -1) * Math.ceil(i / 2) * apart;
    if (line < low || line > high || lines.some((other) => Math.abs(other - line) < apart - 1)) continue;
    lines.push(line);
    return line;
  }
  lines.push(wanted);
  return wanted;
}

const clamp = (value: number, low: number, high: number): number =>
  low > high ? (low + high) / 2 : Math.min(high, Math.max(low, value));

const distance = (a: Point, b: Point): number => Math.hypot(b.x - a.x, b.y - a.y);

const straight = (from: Point, to: Point): Curve => [from, between(from, to, 1 / 3), between(from, to, 2 / 3), to];

const between = (from: Point, to: Point, share: number): Point => ({
  x: from.x + (to.x - from.x) * share,
  y: from.y + (to.y - from.y) * share,
});

function bend(from: Point, to: Point): Curve {
  const reach = (to.x - from.x) / 2;
  return [from, { x: from.x + reach, y: from.y }, { x: to.x - reach, y: to.y }, to];
}

/** Returns a curve into the gutter and back to the same lane; at its middle it is `reach` away from the lane. */
function around(from: Point, to: Point, reach: number): Curve {
  const out = reach / 0.75;
  return [from, { x: from.x + out, y: from.y }, { x: to.x + out, y: to.y }, to];
}

const backwards = ([a, b, c, d]: Curve): Curve => [d, c, b, a];

const labelWidth = (edge: StoryEdge): number =>
  [...labelOf(edge)].length * CHARACTER + 8 + (edge.number === undefined ? 0 : BADGE);

export function labelOf({ kind, key }: StoryEdge): string {
  const { short } = EDGE_STYLES[kind];
  return key === undefined ? short : `${short} ${elided(key, LONGEST_KEY)}`;
}

/** Returns the point at a fraction of the whole path, with curves weighted by length. */
function pointAt(curves: readonly Curve[], share: number): Point {
  const lengths = curves.map(([a, , , d]) => Math.hypot(d.x - a.x, d.y - a.y) + 1);
  let left = share * lengths.reduce((sum, length) => sum + length, 0);
  for (let i = 0; i < curves.length; i++) {
    if (left <= lengths[i]! || i === curves.length - 1) return onCurve(curves[i]!, Math.min(1, left / lengths[i]!));
    left -= lengths[i]!;
  }
  return curves[0]![0];
}

function onCurve([a, b, c, d]: Curve, t: number): Point {
  const s = 1 - t;
  const mix = (p: number, q: number, r: number, u: number): number =>
    s * s * s * p + 3 * s * s * t * q + 3 * s * t * t * r + t * t * t * u;
  return { x: mix(a.x, b.x, c.x, d.x), y: mix(a.y, b.y, c.y, d.y) };
}

function pathOf(curves: readonly Curve[]): string {
  const text = ({ x, y }: Point): string => `${round(x)},${round(y)}`;
  const step = ([a, b, c, d]: Curve): string =>
    a.y === d.y && b.y === d.y && c.y === d.y ? `H${round(d.x)}` : `C${text(b)} ${text(c)} ${text(d)}`;
  return `M${text(curves[0]![0])}${curves.map(step).join('')}`;
}

export const round = (value: number): number => Math.round(value * 10) / 10;
