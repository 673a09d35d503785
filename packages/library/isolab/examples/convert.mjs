import { convert, open } from 'isolab';

const history = await open('history.jsonl');
const { refused } = await convert(history, 'history.txt', { to: 'text' });
console.log(refused.length > 0); // true
const { losses } = await convert(history, 'history.txt', { to: 'text', allowLossy: true });
console.log(losses.some(({ name }) => name === 'times')); // true
