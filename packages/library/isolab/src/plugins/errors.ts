/** Error in a plug-in, with its file, the value found and the value expected. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
}

/** Describes a thrown value of any kind, and its place in the file of the plug-in. */
export function thrownWords(error: unknown, where = ''): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}${placeIn(error, where)}` : String(error);
  } catch {
    return 'a value that cannot be shown';
  }
}

/** Returns the first place in a stack trace that is in the file. */
function placeIn({ stack = '' }: Error, where: string): string {
  const file = where.split(/[/\\]/).at(-1)!;
  const line = file === '' ? undefined : stack.split('\n').find((each) => each.includes(`/${file}:`));
  const [, at, column] = /:(\d+):(\d+)\)?$/.exec(line ?? '') ?? [];
  return at === undefined ? '' : ` (line ${at}, column ${column})`;
}

/** Formats a value briefly for its author. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (value === undefined) return 'undefined';
  try {
    const text =
      JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each)) ?? String(value);
    return text.length > SHOWN ? `${text.slice(0, SHOWN)} …` : text;
  } catch {
    return `a value of type ${typeof value}`;
  }
}

const SHOWN = 120;
