export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Boxes grouped by horizontal strips, for finding boxes that overlap a given box. */
export class Boxes {
  readonly #strips = new Map<number, Box[]>();

  add(box: Box): void {
    for (let strip = stripOf(box.y); strip <= stripOf(box.y + box.height); strip++) {
      const boxes = this.#strips.get(strip) ?? [];
      boxes.push(box);
      this.#strips.set(strip, boxes);
    }
  }

  overlap(box: Box): number {
    const near = new Set<Box>();
    for (let strip = stripOf(box.y); strip <= stripOf(box.y + box.height); strip++) {
      for (const other of this.#strips.get(strip) ?? []) near.add(other);
    }
    let area = 0;
    for (const other of near) area += common(box, other);
    return area;
  }
}

const stripOf = (y: number): number => Math.floor(y / 64);

/** Area of the intersection of two boxes. */
export function common(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}
