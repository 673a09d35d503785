import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as formats from '@isolab/formats';
import { generate, generateLists, sized } from './generate.ts';
import type { Kernel } from './kernel.ts';

const LISTS = new Set(['jepsen-edn']);

const reading = (name: string): Kernel => ({
  name: `read ${name}`,
  setUp: async (quick) => {
    const folder = await mkdtemp(join(tmpdir(), 'isolab-kernel-'));
    const path = join(folder, 'history');
    const format = formats.HISTORY_FORMATS.find((each) => each.name === name);
    if (!format?.writer) throw new Error(`the format ${name} does not exist or cannot be written`);
    const size = sized(quick ? 20_000 : 200_000);
    const history = LISTS.has(name) ? generateLists({ ...size, keys: 100 }, 30) : generate(size);
    // Uses only functions that older commits also have, so that they can be compared.
    const files = new Map<string, Uint8Array>();
    await (await format.writer()).write(history, formats.outputToMemory(files));
    if (format.layout === 'directory') await mkdir(path);
    for (const [file, bytes] of files) await writeFile(file === '' ? path : join(path, file), bytes);
    return {
      run: async () => {
        const document = await formats.readDocumentAt(path, { format: name });
        return document.kind === 'history' ? document.history : null;
      },
      tearDown: () => rm(folder, { recursive: true }),
    };
  },
});

export default ['text', 'isolab', 'dbcop-bincode', 'cobra-log', 'jepsen-edn'].map(reading);
