/** A column of integers that grows. */
export class IntColumn {
  data: Int32Array;
  length = 0;

  constructor(capacity: number = 256) {
    this.data = new Int32Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.data.length) {
      const larger = new Int32Array(2 * this.length + 1);
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length++] = value;
  }
}
