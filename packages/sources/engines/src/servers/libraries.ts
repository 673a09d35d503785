import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Lists the library folders in unpacked Debian packages, for libraries that the system may lack. */
export async function librariesIn(installed: string): Promise<string[]> {
  const usr = join(installed, 'usr', 'lib');
  if (!existsSync(usr)) return [];
  return (await readdir(usr))
    .filter((name) => name.endsWith('-linux-gnu'))
    .flatMap((name) => [join(usr, name), join(installed, 'lib', name)]);
}
