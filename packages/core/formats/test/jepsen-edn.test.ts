import { keyword } from '@isolab/history';
import { describeFormat } from './support/describe-format.ts';
import { anyHistory, jepsenHistories } from './support/jepsen-histories.ts';
import { jepsenEdn } from '../src/jepsen/jepsen-edn.ts';

await describeFormat(jepsenEdn, {
  expressible: jepsenHistories({
    key: (n) => (n % 2 ? keyword(`x${n}`) : BigInt(n)),
    value: (n) =>
      [
        BigInt(n),
        `v "${n}"`,
        -(10n ** 18n) * BigInt(n),
        keyword(`v/${n}`),
        { type: 'literal', text: `v${n}` } as const,
      ][n % 5]!,
  }),
  anything: anyHistory,
});
