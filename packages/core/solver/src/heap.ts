/** A binary heap of variables, with the most active variable on top. */
import { grown } from '@isolab/graph';

export class VariableHeap {
  activity: Float64Array = new Float64Array(0);
  #heap: Int32Array = new Int32Array(0);
  #place: Int32Array = new Int32Array(0); // index in the heap, plus 1; 0 for variables outside it
  #size = 0;

  addVariable(variable: number, activity: number): void {
    this.activity = grown(this.activity, variable + 1);
    this.#heap = grown(this.#heap, variable + 1);
    this.#place = grown(this.#place, variable + 1);
    this.activity[variable] = activity;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  get top(): number {
    return this.#heap[0];
  }

  insert(variable: number): void {
    if (this.#place[variable] !== 0) return;
    this.#heap[this.#size++] = variable;
    this.#up(this.#size - 1);
  }

  /** Restores the heap after the activity of a variable grew. */
  increased(variable: number): void {
    const place = this.#place[variable];
    if (place !== 0) this.#up(place - 1);
  }

  removeTop(): number {
    const heap = this.#heap;
    const top = heap[0];
    this.#place[top] = 0;
    const last = heap[--this.#size];
    if (this.#size > 0) {
      heap[0] = last;
      this.#down();
    }
    return top;
  }

  clear(): void {
    for (let i = 0; i < this.#size; i++) this.#place[this.#heap[i]] = 0;
    this.#size = 0;
  }

  #up(at: number): void {
    const activity = this.activity;
    const heap = this.#heap;
    const place = this.#place;
    const variable = heap[at];
    const key = activity[variable];
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (activity[above] >= key) break;
      heap[at] = above;
      place[above] = at + 1;
      at = parent;
    }
    heap[at] = variable;
    place[variable] = at + 1;
  }

  #down(): void {
    const activity = this.activity;
    const heap = this.#heap;
    const place = this.#place;
    const size = this.#size;
    const variable = heap[0];
    const key = activity[variable];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && activity[heap[child + 1]] > activity[heap[child]]) child++;
      const below = heap[child];
      if (activity[below] <= key) break;
      heap[at] = below;
      place[below] = at + 1;
      at = child;
    }
    heap[at] = variable;
    place[variable] = at + 1;
  }
}
