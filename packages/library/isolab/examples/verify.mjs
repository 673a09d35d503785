import { FormatError, certificate, check, open, verify } from 'isolab';

const history = await open('history.jsonl');
const result = await check(history, { level: 'serializable' });
const verification = verify(history, certificate(history, result));
console.log(verification.ok); // true
console.log(verification.checked[0].text); // the evidence, of kind cycle
console.log(verify(history, { verdict: 'satisfied' }).result); // rejected
try {
  verify(history, '{"verdict": "satisfied", "verdict": "violated"}');
} catch (error) {
  console.log(error instanceof FormatError); // true
}
