import { findAnomaly } from 'isolab';

console.log(findAnomaly('write-skew').name); // G2-item
console.log(findAnomaly('no such name')); // null
