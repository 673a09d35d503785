import { parseNotation } from '@isolab/formats';
import { WITNESSES } from '@isolab/lattice';
import { LEVEL_RECORDS } from '@isolab/levels';
import { check } from 'isolab';
import { expect, test } from 'vitest';

test.each(WITNESSES)('each litmus history is decided at every level as its file states: $text', async (witness) => {
  const history = parseNotation(witness.text);
  const wrong: string[] = [];
  let decided = 0;
  for (const { name } of LEVEL_RECORDS) {
    const { verdict, deciding } = await check(history, { level: name, allowVacuous: true, certify: false });
    if (verdict === 'unknown') continue;
    decided++;
    if ((verdict === 'satisfied') !== witness.satisfied.includes(name))
      wrong.push(`${deciding?.checker} at ${name}: ${verdict}`);
  }
  expect(wrong).toEqual([]);
  expect(decided).toBeGreaterThan(0);
});
