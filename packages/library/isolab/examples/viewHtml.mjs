import { writeFileSync } from 'node:fs';
import { check, open, story, viewHtml } from 'isolab';

const history = await open('history.jsonl');
const result = await check(history, { level: 'serializable' });
writeFileSync('page.html', viewHtml(await story(history, result)));
console.log('open page.html in a browser'); // open page.html in a browser
