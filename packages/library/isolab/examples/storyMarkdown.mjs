import { check, open, story, storyMarkdown } from 'isolab';

const history = await open('history.jsonl');
const result = await check(history, { level: 'serializable' });
const markdown = storyMarkdown(await story(history, result)); // for an issue or a summary
console.log(markdown.includes('Write skew')); // true
