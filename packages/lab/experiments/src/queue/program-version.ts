import { codeVersion } from '../experiment/code-version.ts';

/** Version of all code that finds, reads, generates and runs; it must be the same on both sides of a queue. */
export const programVersion = (): string => codeVersion(import.meta.url);
