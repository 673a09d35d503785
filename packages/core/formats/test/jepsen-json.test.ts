import { describeFormat } from './support/describe-format.ts';
import { anyHistory, jepsenHistories } from './support/jepsen-histories.ts';
import { jepsenJson } from '../src/jepsen/jepsen-json.ts';

await describeFormat(jepsenJson, {
  expressible: jepsenHistories({
    key: (n) => (n % 2 ? `x${n}` : BigInt(n)),
    value: (n) => [BigInt(n), `v "${n}"`, -(10n ** 30n) * BigInt(n)][n % 3]!,
  }),
  anything: anyHistory,
});
