import { codeVersion } from '../code-version.ts';

/** What both sides of a queue must have the same of: all code that finds, reads, makes and runs. */
export const programVersion = (): string => codeVersion(import.meta.url);
