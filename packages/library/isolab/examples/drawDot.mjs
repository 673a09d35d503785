import { check, drawDot, open, story } from 'isolab';

const history = await open('history.jsonl');
const result = await check(history, { level: 'serializable' });
const dot = drawDot(await story(history, result)); // for Graphviz
console.log(dot.startsWith('digraph')); // true
