import { findLevel } from 'isolab';

console.log(findLevel('si').level.name); // snapshot-isolation
console.log(findLevel('repeatable read').warning !== null); // true
console.log(findLevel('no such level')); // null
