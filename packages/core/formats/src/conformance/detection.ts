import type { Demand, Shown } from '@isolab/contract';
import { fromPlain } from '@isolab/history';
import fc from 'fast-check';
import type { HistoryFormat } from '../format/format.ts';
import { ALL_FORMATS, HISTORY_FORMATS } from '../registry.ts';
import { type Files, HOLDS, inputOf, onRandomBytes, shown, writeFiles } from './files.ts';
import { SHAPES } from './shapes.ts';

/**
 * Returns the demands on detection: each file is claimed by its own format from its contents, and by no other format.
 */
export function detectionDemands(format: HistoryFormat, samples: readonly Files[]): Demand[] {
  return [
    {
      name: 'it claims its own files',
      expected: 'matches() returns true and does not throw',
      show: async () => {
        for (const files of samples) {
          const claimed: unknown = await format.matches(inputOf(format, files) as never);
          if (claimed !== true) return { holds: false, found: `matches() gave ${String(claimed)} for ${shown(files)}` };
        }
        return HOLDS;
      },
    },
    {
      name: 'it claims no file of another format',
      expected: 'matches() returns false',
      show: () => claimsNoOther(format),
    },
    {
      name: 'no other format claims its files',
      expected: 'files that no other format recognises',
      show: async () => {
        for (const other of ALL_FORMATS) {
          if (other.name === format.name || other.layout !== format.layout) continue;
          for (const files of samples)
            if (await other.matches(inputOf(format, files) as never))
              return { holds: false, found: `${other.name} claims ${shown(files)}` };
        }
        return HOLDS;
      },
    },
    {
      name: 'matches() does not throw on random bytes',
      expected: 'true or false',
      show: () => onRandomBytes(format, (files) => judge(format, files)),
    },
  ];
}

async function claimsNoOther(format: HistoryFormat): Promise<Shown> {
  for (const other of HISTORY_FORMATS) {
    if (other.name === format.name || other.layout !== format.layout || !other.writer) continue;
    for (const [kind, histories] of Object.entries(SHAPES)) {
      const [plain] = fc.sample(histories, { numRuns: 1, seed: 3 });
      const files = await writeFiles(other, fromPlain(plain!));
      if (await format.matches(inputOf(other, files) as never))
        return { holds: false, found: `it claims a file of ${other.name} (${kind}): ${shown(files)}` };
    }
  }
  return HOLDS;
}

async function judge(format: HistoryFormat, files: Files): Promise<void> {
  const claimed: unknown = await format.matches(inputOf(format, files) as never);
  if (typeof claimed !== 'boolean') throw new Error(`matches() gave ${String(claimed)} for ${shown(files)}`);
}
