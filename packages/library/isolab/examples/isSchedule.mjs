import { isSchedule } from 'isolab';

console.log(isSchedule('{"isolab":"schedule","version":1}')); // true
console.log(isSchedule('{"isolab":"history","version":1}')); // false
