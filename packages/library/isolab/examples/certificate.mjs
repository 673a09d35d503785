import { writeFileSync } from 'node:fs';
import { certificate, check, open } from 'isolab';

const history = await open('history.jsonl');
const result = await check(history, { level: 'serializable' });
const file = certificate(history, result);
writeFileSync('proof.json', JSON.stringify(file));
console.log(file.certificate.kind); // cycle
