/** A measured piece of work; the same every time, on every machine. */
export interface Kernel {
  readonly name: string;
  /** Makes the input of the kernel; `quick` requests about a tenth of the work. */
  setUp(quick: boolean): Promise<Work> | Work;
}

export interface Work {
  /** The result is used, so that no compiler removes the work. */
  run(): unknown;
  tearDown?(): Promise<void>;
}
