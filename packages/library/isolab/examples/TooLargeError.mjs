import { TooLargeError, check, drawSvg, open, story } from 'isolab';

const history = await open('history.jsonl');
const told = await story(history, await check(history, { level: 'serializable' }));
const many = Array.from({ length: 10_000 }, (_, i) => ({ ...told.transactions[0], id: `t${i}` }));
try {
  drawSvg({ ...told, transactions: many });
} catch (error) {
  console.log(error instanceof TooLargeError); // true
}
