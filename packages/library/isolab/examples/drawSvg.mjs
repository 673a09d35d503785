import { writeFileSync } from 'node:fs';
import { check, drawSvg, open, story } from 'isolab';

const history = await open('history.jsonl');
const result = await check(history, { level: 'serializable' });
const svg = drawSvg(await story(history, result));
writeFileSync('write-skew.svg', svg);
console.log(svg.startsWith('<svg')); // true
