import { Recorder } from 'isolab';

const transaction = new Recorder({ initial: 0 }).begin('alice');
transaction.read('x', 0).write('x', 1);
transaction.unknown(); // the connection broke at COMMIT
console.log(transaction.constructor.name); // RecordedTransaction
