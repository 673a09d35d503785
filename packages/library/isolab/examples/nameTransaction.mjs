import { nameTransaction, open } from 'isolab';

const { history } = await open('history.jsonl');
console.log(nameTransaction(history, 0)); // transaction 1 of session alice
