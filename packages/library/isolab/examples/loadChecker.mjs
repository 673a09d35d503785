import { check, loadChecker, open } from 'isolab';

const checker = await loadChecker('dbcop'); // a name, './my-checker.mjs', or a package
const { verdict } = await check(await open('history.jsonl'), { level: 'serializable', checker });
console.log(verdict); // violated
