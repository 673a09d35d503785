import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A good input of a format: one file, named '', or the files of a directory. */
export interface Sample {
  readonly format: string;
  readonly name: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** The hand-made examples of every format. */
export function exampleSamples(): Sample[] {
  const folder = fileURLToPath(new URL('../../../../datasets/examples/', import.meta.url));
  return readdirSync(folder).flatMap((format) =>
    readdirSync(join(folder, format))
      .filter((name) => name !== 'expected.json')
      .map((name) => ({ format, name, files: filesAt(join(folder, format, name)) })),
  );
}

function filesAt(path: string): Map<string, Uint8Array> {
  if (!statSync(path).isDirectory()) return new Map([['', new Uint8Array(readFileSync(path))]]);
  return new Map(readdirSync(path).map((name) => [name, new Uint8Array(readFileSync(join(path, name)))]));
}
