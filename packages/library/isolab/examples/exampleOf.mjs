import { check, exampleOf, findAll, open } from 'isolab';

const history = await open('history.jsonl');
const found = await findAll(history, await check(history, { level: 'serializable', findAll: true }));
console.log(exampleOf(found, found.kinds[0]).transactions.length); // 2
