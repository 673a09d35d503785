import type { Input } from '../files/input.ts';

/** Returns the history of a Jepsen test if the input is its folder, and otherwise the input itself. */
export async function insideStore(input: Input): Promise<Input> {
  if (input.kind === 'stream') return input;
  const file = HISTORIES.find((name) => input.files.includes(name));
  return file === undefined ? input : input.open(file);
}

/** Files that a Jepsen test leaves behind, the best source first. */
const HISTORIES: readonly string[] = ['history.edn', 'history.edn.gz', 'history.txt', 'history.txt.gz'];
