// A figure as paths and texts with absolute positions, the source of SVG and PDF files. Vega draws it on an object that
// implements a canvas.

import type { Experiment, Measurement } from '../results/results.ts';
import { type FigureOptions, specOf } from './spec.ts';
import { withView } from './vega.ts';

export interface Drawing {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly items: readonly Item[];
}

export type Item = Path | Words;

export interface Path {
  readonly kind: 'path';
  readonly segments: readonly Segment[];
  readonly fill: string | null;
  stroke: string | null;
  width: number;
  dash: readonly number[];
  readonly alpha: number;
}

/** Letter of an SVG path command, and absolute coordinates. */
export type Segment = readonly [letter: 'M' | 'L' | 'C' | 'Z', ...numbers: number[]];

export interface Words {
  readonly kind: 'text';
  readonly text: string;
  readonly x: number;
  readonly y: number;
  /** Clockwise angle in degrees. */
  readonly angle: number;
  readonly align: 'left' | 'center' | 'right';
  readonly size: number;
  readonly isBold: boolean;
  readonly fill: string;
  readonly alpha: number;
}

/** Returns null for tables, and if there is nothing to draw. */
export async function drawingOf(
  experiment: Experiment,
  rows: readonly Measurement[],
  options: FigureOptions = {},
): Promise<Drawing | null> {
  const own = rows.filter((row) => row.experiment === experiment.id);
  const spec = specOf(experiment, own, options);
  if (spec === null) return null;
  return withView(spec, async (view) => {
    const [, width, height] = /width="([\d.]+)" height="([\d.]+)"/.exec(await view.toSVG())!;
    const canvas = new Canvas();
    await view.toCanvas(1, { externalContext: canvas });
    const title = `${experiment.id}: ${experiment.title}`;
    return { title, width: Number(width), height: Number(height), items: canvas.items };
  });
}

type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** Methods of a canvas context that isolab's charts use; for any other method Vega fails with an error. */
class Canvas {
  readonly items: Item[] = [];
  font = '';
  textAlign = 'left';
  fillStyle = '';
  strokeStyle = '';
  lineWidth = 1;
  globalAlpha = 1;
  #matrix: Matrix = [1, 0, 0, 1, 0, 0];
  #saved: Matrix[] = [];
  #path: Segment[] = [];
  #dash: readonly number[] = [];
  #x = 0;
  #y = 0;

  save(): void {
    this.#saved.push(this.#matrix);
  }

  restore(): void {
    this.#matrix = this.#saved.pop() ?? this.#matrix;
  }

  translate(x: number, y: number): void {
    this.#multiply([1, 0, 0, 1, x, y]);
  }

  scale(x: number, y: number): void {
    this.#multiply([x, 0, 0, y, 0, 0]);
  }

  rotate(angle: number): void {
    this.#multiply([Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0]);
  }

  #multiply([a, b, c, d, e, f]: Matrix): void {
    const [A, B, C, D, E, F] = this.#matrix;
    this.#matrix = [A * a + C * b, B * a + D * b, A * c + C * d, B * c + D * d, A * e + C * f + E, B * e + D * f + F];
  }

  #at(x: number, y: number): [number, number] {
    const [a, b, c, d, e, f] = this.#matrix;
    return [a * x + c * y + e, b * x + d * y + f];
  }

  setLineDash(dash: readonly number[]): void {
    this.#dash = [...dash];
  }

  beginPath(): void {
    this.#path = [];
  }

  moveTo(x: number, y: number): void {
    this.#path.push(['M', ...this.#at(x, y)]);
    [this.#x, this.#y] = [x, y];
  }

  lineTo(x: number, y: number): void {
    this.#path.push(['L', ...this.#at(x, y)]);
    [this.#x, this.#y] = [x, y];
  }

  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void {
    this.#path.push(['C', ...this.#at(x1, y1), ...this.#at(x2, y2), ...this.#at(x, y)]);
    [this.#x, this.#y] = [x, y];
  }

  quadraticCurveTo(x1: number, y1: number, x: number, y: number): void {
    const third = (from: number, to: number): number => from + (2 / 3) * (to - from);
    this.bezierCurveTo(third(this.#x, x1), third(this.#y, y1), third(x, x1), third(y, y1), x, y);
  }

  closePath(): void {
    this.#path.push(['Z']);
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.moveTo(x, y);
    this.lineTo(x + width, y);
    this.lineTo(x + width, y + height);
    this.lineTo(x, y + height);
    this.closePath();
  }

  /** Draws clockwise, with curves of at most a quarter of the circle. */
  arc(x: number, y: number, radius: number, from: number, to: number): void {
    const parts = Math.max(1, Math.ceil((to - from) / (Math.PI / 2) - 1e-9));
    const step = (to - from) / parts;
    const reach = (4 / 3) * Math.tan(step / 4) * radius;
    const place = (angle: number): [number, number] => [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    if (this.#path.length === 0) this.moveTo(...place(from));
    else this.lineTo(...place(from));
    for (let part = 0; part < parts; part++) {
      const [a, b] = [from + part * step, from + (part + 1) * step];
      const [ax, ay] = place(a);
      const [bx, by] = place(b);
      const one = [ax - reach * Math.sin(a), ay + reach * Math.cos(a)] as const;
      const other = [bx + reach * Math.sin(b), by - reach * Math.cos(b)] as const;
      this.bezierCurveTo(...one, ...other, bx, by);
    }
  }

  /** The background belongs to the page. */
  fillRect(): void {}

  fill(): void {
    if (this.fillStyle === 'transparent' || this.#path.length === 0) return;
    const { fillStyle: fill, globalAlpha: alpha } = this;
    this.items.push({ kind: 'path', segments: this.#path, fill, stroke: null, width: 0, dash: [], alpha });
  }

  stroke(): void {
    if (this.strokeStyle === 'transparent' || this.#path.length === 0) return;
    const { strokeStyle: stroke, lineWidth: width, globalAlpha: alpha } = this;
    const last = this.items.at(-1);
    if (last?.kind === 'path' && last.segments === this.#path && last.stroke === null && last.alpha === alpha)
      Object.assign(last, { stroke, width, dash: this.#dash });
    else this.items.push({ kind: 'path', segments: this.#path, fill: null, stroke, width, dash: this.#dash, alpha });
  }

  fillText(text: string, x: number, y: number): void {
    if (text === '') return;
    const [a, b] = this.#matrix;
    const [left, top] = this.#at(x, y);
    this.items.push({
      kind: 'text',
      text,
      x: left,
      y: top,
      angle: (Math.atan2(b, a) * 180) / Math.PI,
      align: this.textAlign === 'center' || this.textAlign === 'right' ? this.textAlign : 'left',
      size: Number(/([\d.]+)px/.exec(this.font)?.[1] ?? 11),
      isBold: this.font.includes('bold'),
      fill: this.fillStyle,
      alpha: this.globalAlpha,
    });
  }
}
