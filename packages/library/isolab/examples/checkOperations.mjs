import { checkOperations, makeHistory } from 'isolab/objects';

// What a queue was asked, what it answered, and when; without a return an operation is pending.
const history = makeHistory([
  { process: 0, f: 'enqueue', argument: 'a', result: null, call: 0, return: 1 },
  { process: 0, f: 'enqueue', argument: 'b', result: null, call: 2, return: 3 },
  { process: 1, f: 'dequeue', argument: null, result: 'b', call: 4, return: 5 },
  { process: 1, f: 'dequeue', argument: null, result: undefined, call: 6, return: null },
]);
const fifo = await checkOperations(history, 'fifo-queue', { level: 'linearizable' });
const unordered = await checkOperations(history, 'unordered-queue', { level: 'linearizable' });
console.log(fifo.verdict); // violated
console.log(unordered.verdict); // satisfied
