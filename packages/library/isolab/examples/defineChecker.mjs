import { defineChecker, check, open } from 'isolab';

const nothing = defineChecker({
  info: {
    name: 'nothing',
    title: 'Finds nothing, and says so',
    version: '1.0.0',
    apiVersion: 1,
    paper: null,
    levels: ['serializable'],
    sound: true,
    complete: false,
    requires: [],
    options: {},
    variants: {},
  },
  check: () => ({ status: 'unknown', reason: 'incomplete' }),
});
const result = await check(await open('history.jsonl'), { level: 'serializable', checker: nothing });
console.log(result.verdict); // unknown
