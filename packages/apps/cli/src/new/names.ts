import { UsageError } from '../exit.ts';

/** Refuses a name that is none, or one that a word of the command line would take for what comes with isolab. */
export function insistOnName(what: string, name: string, taken: readonly string[]): void {
  if (name.length > LONGEST || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new UsageError(
      `The name of a ${what} is in kebab-case, such as my-${what}, and at most ${LONGEST} long, not ${name}.`,
    );
  if (taken.includes(name)) throw new UsageError(`There is a ${what} ${name} in isolab already; choose another name.`);
}

/** What npm takes, with room for a scope. */
const LONGEST = 100;
