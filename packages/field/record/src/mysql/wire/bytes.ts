/** Reader of the fields of a packet. It throws a RangeError if the packet is too short. */
export class Bytes {
  readonly #buffer: Buffer;
  at: number;

  constructor(buffer: Buffer, at = 0) {
    this.#buffer = buffer;
    this.at = at;
  }

  get left(): number {
    return this.#buffer.length - this.at;
  }

  /** Reads a number of 1 to 6 bytes. */
  number(size: number): number {
    const value = this.#buffer.readUIntLE(this.at, size);
    this.at += size;
    return value;
  }

  bigint(): bigint {
    const value = this.#buffer.readBigUInt64LE(this.at);
    this.at += 8;
    return value;
  }

  take(size: number): Buffer {
    if (size < 0 || size > this.left) throw new RangeError(`a field of ${size} bytes in ${this.left} bytes`);
    const part = this.#buffer.subarray(this.at, this.at + size);
    this.at += size;
    return part;
  }

  rest(): Buffer {
    return this.take(this.left);
  }

  /** Reads a text that ends with a zero byte. */
  untilZero(): string {
    const end = this.#buffer.indexOf(0, this.at);
    const text = this.take((end < 0 ? this.#buffer.length : end) - this.at).toString();
    if (end >= 0) this.at++;
    return text;
  }

  /** Reads a number with its length; null stands for the value NULL of a row. */
  length(): number | null {
    const first = this.number(1);
    if (first < 0xfb) return first;
    if (first === 0xfb) return null;
    if (first === 0xfc) return this.number(2);
    if (first === 0xfd) return this.number(3);
    return Number(this.bigint());
  }

  /** Reads bytes with their length; null stands for the value NULL of a row. */
  counted(): Buffer | null {
    const size = this.length();
    return size === null ? null : this.take(size);
  }

  text(): string {
    return this.counted()?.toString() ?? '';
  }
}
