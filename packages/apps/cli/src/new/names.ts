import { UsageError } from '../terminal/exit.ts';

/** Refuses an invalid name, and a name that the command line would resolve to a part of isolab. */
export function insistOnName(what: string, name: string, taken: readonly string[]): void {
  if (name.length > LONGEST || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new UsageError(
      `The name of a ${what} must be in kebab-case, such as my-${what}, and at most ${LONGEST} characters long, not ${name}.`,
    );
  if (taken.includes(name)) throw new UsageError(`isolab already has a ${what} ${name}; choose another name.`);
}

/** Longest name that npm accepts, minus room for a scope. */
const LONGEST = 100;
