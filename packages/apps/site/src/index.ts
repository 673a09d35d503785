export { buildSite } from './build.ts';
