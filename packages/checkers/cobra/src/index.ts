export { checkPolygraph } from './check-polygraph.ts';
export { cobra, cobra as default } from './cobra.ts';
