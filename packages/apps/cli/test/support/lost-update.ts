/** Lines of a stream in which two transactions read a key before either wrote it. */
export const HEADER = '{"isolab":"history","version":1,"initial":0}\n';
export const FIRST = '{"session":1,"ops":[["r","x",0],["w","x",1]]}\n';
export const LOST = '{"session":2,"ops":[["r","x",0],["w","x",2]]}\n';
export const END = '{"isolab":"end"}\n';
