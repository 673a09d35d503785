import type { History } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { type FormatHistories, formatDemands } from '../../src/conformance/format.ts';
import type { HistoryFormat } from '../../src/format/format.ts';
import { inputOfBytes } from '../../src/files/input.ts';

export { readFiles, writeFiles } from '../../src/conformance/files.ts';

/** Tests of every format with a writer. */
export async function describeFormat(format: HistoryFormat, histories: FormatHistories): Promise<void> {
  const demands = await formatDemands(format, histories);
  describe(`every format: ${format.name}`, () => {
    test.each(demands.map((demand) => [demand.name, demand] as const))('%s', async (_, { show, expected }) => {
      const { holds, found } = await show();
      expect(holds === false ? `found ${found}; expected ${expected}` : 'holds').toBe('holds');
    });
  });
}

/** Reads a text as a history of this format. */
export const readText = (format: HistoryFormat, text: string): Promise<History> =>
  format.read(inputOfBytes('test', text), {});
