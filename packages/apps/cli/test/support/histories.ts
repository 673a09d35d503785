import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

/** Five transactions of a bank, one of which aborted but was seen. */
export const transfer = fileURLToPath(
  new URL('../../../../../datasets/histories/aborted-transfer.jsonl', import.meta.url),
);
/** One transaction writes, another one reads it. */
export const CLEAN = 'w(1,1,0,0)\nr(1,1,1,1)\n';
/** Transaction 2 sees 1, which has seen 0, but not 0. */
export const FORK = 'w(1,1,0,0)\nr(1,1,1,1)\nw(2,1,1,1)\nr(2,1,2,2)\nr(1,0,2,2)\n';

/** A folder for the files of a file of tests, gone after them, and functions that write into it. */
export function folderOf(name: string): {
  readonly folder: string;
  readonly file: (name: string, content: string) => string;
} {
  const folder = mkdtempSync(join(tmpdir(), `isolab-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = (called: string, content: string): string => {
    const path = join(folder, called);
    writeFileSync(path, content);
    return path;
  };
  return { folder, file };
}
