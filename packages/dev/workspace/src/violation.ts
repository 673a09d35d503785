export interface Violation {
  readonly file: string; // relative to the root
  readonly line: number; // from 1
  readonly found: string;
  readonly expected: string;
}

export function describeViolation({ file, line, found, expected }: Violation): string {
  return `${file}:${line}: ${found}; ${expected}`;
}
