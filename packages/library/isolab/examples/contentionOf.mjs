import { contentionOf, open } from 'isolab';

const { history } = await open('history.jsonl');
// The share of transactions that overlapped with another one that wrote a key that they used.
console.log(contentionOf(history).met); // 1
