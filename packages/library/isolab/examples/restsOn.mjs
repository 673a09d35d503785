import { check, open } from 'isolab';

// check puts the line into its result; restsOn makes it of a run's evidence.
const result = await check(await open('history.jsonl'), { level: 'snapshot-isolation' });
console.log(result.restsOn.startsWith('rests on 2 reads')); // true
