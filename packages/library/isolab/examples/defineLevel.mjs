import { check, defineLevel, open } from 'isolab';

const { level } = defineLevel('level no-lost-updates\nirreflexive ww ; rw\n', 'mine.lvl');
console.log(level.name); // no-lost-updates
const result = await check(await open('history.jsonl'), { level: level.name });
console.log(result.verdict, result.deciding.checker); // satisfied axioms
