import { orNearest } from 'isolab';

console.log(orNearest('waeve', ['weave', 'plume']).trim()); // did you mean weave?
