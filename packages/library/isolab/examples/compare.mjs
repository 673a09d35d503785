import { compare, open } from 'isolab';

const compared = await compare(await open('history.jsonl'), {
  level: 'serializable',
  checkers: ['weave', 'cobra', 'dbcop'],
});
console.log(compared.agree); // true
console.log(compared.reports.map(({ verdict }) => verdict).join(' ')); // violated violated violated
