import { check, open } from 'isolab';

const history = await open('history.jsonl');
const result = await check(history, { level: ['snapshot-isolation', 'serializable'], timeMs: 10_000 });
console.log(result.levels['snapshot-isolation'].verdict); // satisfied
console.log(result.levels.serializable.verdict); // violated
console.log(result.anomalies[0].name); // G2-item
