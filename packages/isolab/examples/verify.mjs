import { certificate, check, open, verify } from 'isolab';

const history = await open('history.jsonl');
const result = await check(history, { level: 'serializable' });
console.log(verify(history, certificate(history, result)).ok); // true
console.log(verify(history, { verdict: 'satisfied' }).ok); // false
