import { FormatError, open } from 'isolab';

try {
  await open({ text: '{"isolab":"history","version":1}\n{"session":1,"ops":[["r","x"]]}' });
} catch (error) {
  console.log(error instanceof FormatError); // true
}
