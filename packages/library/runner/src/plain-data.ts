/**
 * Measures whether JSON can hold the data, how deeply it is nested, and how many values it has when written out. Shared
 * parts count once per reference, because JSON repeats them. The traversal uses its own stack, because certificates may
 * be deep.
 */
export interface Measured {
  /** The location of a value that is not plain, with the reason; null if all data is plain. */
  readonly problem: string | null;
  readonly depth: number;
  readonly size: number;
}

export function measure(root: unknown): Measured {
  const leafProblem = whyNotLeaf(root);
  if (leafProblem !== null || !isContainer(root)) return { problem: leafProblem, depth: 0, size: 1 };
  const done = new Map<object, { readonly depth: number; readonly size: number }>();
  const onPath = new Set<object>();
  const stack: Frame[] = [frameOf(root, '')];
  onPath.add(root);
  for (;;) {
    const frame = stack[stack.length - 1]!;
    if (frame.next === frame.children.length) {
      const measured = { depth: frame.depth + 1, size: frame.size + 1 };
      done.set(frame.container, measured);
      onPath.delete(frame.container);
      stack.pop();
      const parent = stack[stack.length - 1];
      if (!parent) return { problem: null, ...measured };
      add(parent, measured);
      continue;
    }
    if (frame.names === null) skipNumbers(frame);
    if (frame.next === frame.children.length) continue;
    const name = frame.names ? frame.names[frame.next]! : frame.next;
    const child = frame.children[frame.next++];
    const problem = whyNotLeaf(child);
    if (problem !== null) return { problem: `${pathOf(stack, name)} is ${problem}`, depth: 0, size: 0 };
    if (!isContainer(child)) {
      frame.size++;
      continue;
    }
    const known = done.get(child);
    if (known) add(frame, known);
    else if (onPath.has(child)) return { problem: `${pathOf(stack, name)} contains itself`, depth: 0, size: 0 };
    else {
      onPath.add(child);
      stack.push(frameOf(child, name));
    }
  }
}

interface Frame {
  readonly container: object;
  /** Name of the container in its parent. */
  readonly name: string | number;
  /** Null if the container is a list. */
  readonly names: readonly string[] | null;
  readonly children: readonly unknown[];
  next: number;
  depth: number;
  size: number;
}

function frameOf(container: object, name: string | number): Frame {
  const names = Array.isArray(container) ? null : Object.keys(container);
  const children = Array.isArray(container) ? (container as unknown[]) : (Object.values(container) as unknown[]);
  return { container, name, names, children, next: 0, depth: 0, size: 0 };
}

function add(frame: Frame, { depth, size }: { readonly depth: number; readonly size: number }): void {
  frame.depth = Math.max(frame.depth, depth);
  frame.size += size;
}

/** Skips runs of numbers, because most of a big verdict is a single list of numbers, an order. */
function skipNumbers(frame: Frame): void {
  const { children } = frame;
  let next = frame.next;
  while (next < children.length && Number.isFinite(children[next])) next++;
  frame.size += next - frame.next;
  frame.next = next;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Reason why JSON cannot represent the value itself, regardless of its parts; null if JSON can represent it or it is
 * undefined.
 */
function whyNotLeaf(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return null;
    case 'number':
      return Number.isFinite(value) ? null : `${value}, which JSON cannot represent`;
    case 'object': {
      if (value === null || Array.isArray(value)) return null;
      const prototype = Object.getPrototypeOf(value) as { readonly constructor?: { readonly name?: string } } | null;
      // The prototype may belong to another realm, where a comparison with Object.prototype fails.
      if (prototype === null || Object.getPrototypeOf(prototype) === null) return null;
      return `a ${prototype.constructor?.name ?? 'object of a class'}, expected plain objects and lists`;
    }
    default:
      return `a ${typeof value}, which JSON cannot represent`;
  }
}

function pathOf(stack: readonly Frame[], last: string | number): string {
  const path = [...stack.slice(1).map(({ name }) => name), last];
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

/** Returns a copy that foreign code can no longer change. Getters and proxies are evaluated once. */
export const plainCopy = <T>(data: T): T => structuredClone(data);
