import { check, findAll, open } from 'isolab';

const history = await open('history.jsonl');
const found = await findAll(history, await check(history, { level: 'serializable', findAll: true }));
for (const { name, count } of found.kinds) console.log(count, name); // 1 G2-item
