// Slow: makes two tours, each with a PostgreSQL of its own.
import { expect, test } from 'vitest';
import { start, workplace } from './support/program.ts';

const { place } = workplace('tour');

test('the second of two tours in one folder waits for the first, and both end well', async () => {
  const at = place();
  const both = await Promise.all([start(['tour'], at).ended, start(['tour'], at).ended]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  const waiting = both.filter(({ err }) =>
    /Another isolab tour \(process \d+\) is writing .* Waiting for it/.test(err),
  );
  expect(waiting).toHaveLength(1);
  // Each shows the levels that PostgreSQL keeps and breaks.
  for (const { out } of both) {
    expect(out).toMatch(/Serializability +NO +NO +yes/);
    expect(out).toContain('violated   serializable');
    expect(out).toContain('$ isolab collect isolab-tour/read-committed.jsonl --db embedded');
    expect(out).not.toContain('postgres://'); // with its password
  }
});
