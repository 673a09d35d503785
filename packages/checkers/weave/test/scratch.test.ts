import { test } from 'vitest';
import { KINDS, type Kind, agreeOnRandomRuns } from './agreement.ts';
test('soak', { timeout: 3_000_000 }, async () => {
  for (const kind of Object.keys(KINDS) as Kind[]) {
    if (!(kind.startsWith(process.env.KIND ?? 'rows'))) continue;
    const t0 = Date.now();
    let near = 0;
    const tally = await agreeOnRandomRuns(kind, Number(process.env.N), Number(process.env.SEED));
    for (const [k, v] of tally) if (k === 'transactions-near-stuck') near += v;
    console.log(kind, 'near', near, 'ms', Date.now() - t0);
  }
});
