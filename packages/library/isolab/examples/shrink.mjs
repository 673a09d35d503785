import { check, open, shrink } from 'isolab';

const history = await open('history.jsonl');
const result = await check(history, { level: 'serializable' });
const shrunk = await shrink(history, result);
console.log(shrunk.isMinimal, shrunk.history.txnStatus.length); // true 2
