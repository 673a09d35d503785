import { open, showOperation } from 'isolab';

const { history } = await open('history.jsonl');
console.log(showOperation(history, 0)); // r(y, 0)
