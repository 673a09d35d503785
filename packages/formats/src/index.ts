export { FormatError } from './errors.ts';
export { openInput, inputOfBytes } from './input.ts';
export { text } from './text.ts';
