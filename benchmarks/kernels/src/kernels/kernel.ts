/** A piece of work that is measured by itself; the same every time, on every machine. */
export interface Kernel {
  readonly name: string;
  /** Makes the input of the kernel; `quick` asks for about a tenth of the work. */
  setUp(quick: boolean): Promise<Work> | Work;
}

export interface Work {
  /** Its result is used, so no compiler removes the work. */
  run(): unknown;
  tearDown?(): Promise<void>;
}
