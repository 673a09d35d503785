import { parseNotation } from '@isolab/formats';
import { describe, expect, test } from 'vitest';
import { certificate, check, verify } from '../src/index.ts';

describe('a compare-and-set that failed, at linearizability', () => {
  const judged = async (text: string) => {
    const history = parseNotation(text);
    const result = await check(history, { level: 'linearizable' });
    return { history, result };
  };

  test('among other operations of its transaction is not satisfied by a checker that leaves it out', async () => {
    // It should have found the write of its own transaction.
    const { result } = await judged('w(x,1) cas!(x,1,2) @1-2\nr(x,1) @3-4');
    expect(result.verdict).toBe('unknown');
    expect(result.reason).toBe('weave does not check 1 failed compare-and-set; the rest is satisfied');
  });

  test('a compare-and-set that failed, at linearizability by itself is judged, with a certificate that is accepted', async () => {
    const { history, result } = await judged('w(x,1) @1-2\ncas!(x,2,3) @3-6\nw(x,2) @4-5 | r(x,2) @7-8');
    expect(result.verdict).toBe('satisfied');
    const verification = verify(history, certificate(history, result));
    expect(verification).toMatchObject({ ok: true });
    expect(verification.ok && verification.checked.map(({ text }) => text)).toContain('1 compare-and-set that failed');
    const violated = await judged('w(x,1) @1-2\ncas!(x,1,3) @3-6');
    expect(violated.result.verdict).toBe('violated');
  });
});
