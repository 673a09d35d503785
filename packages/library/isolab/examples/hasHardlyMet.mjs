import { contentionOf, hasHardlyMet, open } from 'isolab';

const { history } = await open('history.jsonl');
console.log(hasHardlyMet(contentionOf(history))); // false
