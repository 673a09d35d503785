import process from 'node:process';
import * as fc from 'fast-check';

// A change is judged by the same random tests for everybody, on every run. ISOLAB_SEED draws others.
const seed = process.env.ISOLAB_SEED ?? '2511';
if (!/^\d{1,9}$/.test(seed)) throw new Error(`ISOLAB_SEED is ${seed}; expected a number of up to nine digits.`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
