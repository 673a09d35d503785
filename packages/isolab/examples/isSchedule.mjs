import { isSchedule } from 'isolab';

console.log(isSchedule('{"isolab":"history","version":1}')); // false
