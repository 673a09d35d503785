import { RunnerError, check, open } from 'isolab';

try {
  await check(await open('history.jsonl'), { level: 'serializable', checker: 'waeve' });
} catch (error) {
  console.log(error instanceof RunnerError); // true
}
