import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HISTORY_FORMATS, outputToMemory, readDocumentAt } from '@isolab/formats';

/** A valid input of a kind: one file, named '', or the files of a directory. */
export interface Sample {
  /** Name of the format or of another kind of input. */
  readonly kind: string;
  readonly name: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Hand-made examples of every format, and histories with many features in every format that can be written. */
export async function formatSamples(): Promise<Sample[]> {
  const examples = readdirSync(FOLDER).flatMap((kind) =>
    readdirSync(join(FOLDER, kind))
      .filter((name) => name !== 'expected.json')
      .map((name) => ({ kind, name, files: filesAt(join(FOLDER, kind, name)) })),
  );
  const written: Sample[] = [];
  for (const path of RICH) {
    const document = await readDocumentAt(join(FOLDER, path));
    if (document.kind === 'polygraph') continue;
    for (const format of HISTORY_FORMATS) {
      if (!format.writer) continue;
      const files = new Map<string, Uint8Array>();
      await (await format.writer()).write(document.history, outputToMemory(files));
      if ([...files.values()].some(({ length }) => length > 0))
        written.push({ kind: format.name, name: `${path} as ${format.name}`, files });
    }
  }
  return [...examples, ...written];
}

function filesAt(path: string): Map<string, Uint8Array> {
  if (!statSync(path).isDirectory()) return new Map([['', new Uint8Array(readFileSync(path))]]);
  return new Map(readdirSync(path).map((name) => [name, new Uint8Array(readFileSync(join(path, name)))]));
}

/** A sample with one text file. */
export const textSample = (kind: string, name: string, text: string): Sample => ({
  kind,
  name,
  files: new Map([['', new Uint8Array(Buffer.from(text))]]),
});

const FOLDER = fileURLToPath(new URL('../../../../../datasets/examples/', import.meta.url));
const RICH = ['isolab/everything.jsonl', 'jepsen-edn/list-append.edn', 'viper-json/inserts-deletes-and-ranges'];
