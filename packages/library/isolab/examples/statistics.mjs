import { open, statistics } from 'isolab';

const { history } = statistics(await open('history.jsonl'));
console.log(history.transactions, history.sessions); // 2 2
