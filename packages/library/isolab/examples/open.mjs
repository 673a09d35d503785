import { open } from 'isolab';

const fromFile = await open('history.jsonl'); // also a folder, a URL, or a file compressed by gzip
const fromText = await open({ text: 'w(x,1) | r(x,1)' }, { format: 'notation' });
console.log(fromFile.history.txnStatus.length, fromText.history.txnStatus.length); // 2 2
