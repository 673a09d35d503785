import { SyntaxProblem } from '../../src/syntax/problem.ts';

const encoder = new TextEncoder();

export function toBytes(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? encoder.encode(text) : text;
}

/** Result of `run`, or the SyntaxProblem that it throws; anything else thrown is a failure of the test. */
export function outcome<Result>(run: () => Result): Result | SyntaxProblem {
  try {
    return run();
  } catch (error) {
    if (error instanceof SyntaxProblem) return error;
    throw error;
  }
}

/** The message of the SyntaxProblem that `run` must throw. */
export function problemOf(run: () => unknown): string {
  const result = outcome(run);
  return result instanceof SyntaxProblem ? result.message : `no problem: ${String(result)}`;
}

/** The integers at and around every size at which a representation changes. */
export const EDGE_INTEGERS: readonly bigint[] = [9, 15, 16, 18, 19, 20]
  .map((digits) => 10n ** BigInt(digits))
  .concat([31n, 32n, 47n, 52n, 53n, 62n, 63n, 64n, 65n, 127n].map((bits) => 2n ** bits))
  .flatMap((edge) => [-2n, -1n, 0n, 1n, 2n].flatMap((step) => [edge + step, -edge + step]))
  .concat([0n, 1n, -1n, 10n, -10n]);
