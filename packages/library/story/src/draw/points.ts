import type { Box } from './boxes.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Points of lines, grouped by squares of the picture, for finding points that a box would cover. */
export class Points {
  readonly #squares = new Map<string, Point[]>();

  add({ x, y }: { readonly x: number; readonly y: number }): void {
    const square = `${squareAt(x)} ${squareAt(y)}`;
    const points = this.#squares.get(square) ?? [];
    points.push({ x, y });
    this.#squares.set(square, points);
  }

  covered(box: Box): number {
    let count = 0;
    for (let column = squareAt(box.x); column <= squareAt(box.x + box.width); column++) {
      for (let row = squareAt(box.y); row <= squareAt(box.y + box.height); row++) {
        for (const { x, y } of this.#squares.get(`${column} ${row}`) ?? []) {
          const isIn = x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
          if (isIn) count++;
        }
      }
    }
    return count;
  }
}

const squareAt = (at: number): number => Math.floor(at / 32);
