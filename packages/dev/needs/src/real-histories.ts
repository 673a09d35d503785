import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const folder = process.env['ISOLAB_DATASETS'];

/** Returns a path in the folder of real histories. Tests that read it need `datasets`. */
export const realHistory = (path: string): string => join(folder ?? '', path);

/** Returns the entries of the manifest of the real histories; none without the folder. */
export const realHistories = <Entry>(): readonly Entry[] =>
  folder === undefined
    ? []
    : (JSON.parse(readFileSync(realHistory('MANIFEST.json'), 'utf8')) as { readonly entries: readonly Entry[] })
        .entries;

/** Returns the names of the polygraphs in the folder CobraSAT; none without the folder. */
export const realPolygraphs = (): readonly string[] =>
  folder === undefined
    ? []
    : readdirSync(realHistory('CobraSAT'), { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.polyg'),
      );

const examples = fileURLToPath(new URL('../../../../datasets/examples', import.meta.url));

/** Returns the paths of the example histories of this repository, in all formats; some are refused on purpose. */
export const exampleHistories = (): readonly string[] =>
  readdirSync(examples).flatMap((format) =>
    readdirSync(join(examples, format))
      .filter((name) => name !== 'expected.json' && name !== 'bank.edn')
      .map((name) => join(examples, format, name)),
  );
