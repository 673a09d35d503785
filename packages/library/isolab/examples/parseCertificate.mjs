import { FormatError, certificate, check, open, parseCertificate, verify } from 'isolab';

const history = await open('history.jsonl');
const text = JSON.stringify(certificate(history, await check(history, { level: 'serializable' })));
console.log(verify(history, parseCertificate(text)).result); // accepted
try {
  parseCertificate('{"verdict": "satisfied", "verdict": "violated"}');
} catch (error) {
  console.log(error instanceof FormatError); // true
}
