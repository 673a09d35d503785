export { checkPolygraph, cobra, cobra as default } from './cobra.ts';
