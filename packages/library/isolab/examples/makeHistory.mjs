import { makeHistory } from 'isolab';

const history = makeHistory([
  { process: 1, f: 'read', argument: null, result: 1, call: 2, return: 3 },
  { process: 0, f: 'write', argument: 1, result: null, call: 0, return: 1 },
]);
console.log(history.operations[0].f); // write
