/** Follows the exports of a package to their declarations, in the compiler's output. */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** An exported name with its declaration. */
export interface Declared {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'constant' | 'type';
  /** Comment before the declaration, without its markers. */
  readonly comment: string;
  readonly signature: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** All exports of a declaration file, in the order of the file; `root` is the folder of the workspace. */
export function exportsOf(file: string, root: string): Declared[] {
  const text = readFileSync(file, 'utf8');
  return bodyOf(file, text).flatMap((node): Declared[] => {
    if (node.type === 'ExportAllDeclaration') return exportsOf(moduleOf(node, file, root), root);
    if (node.type !== 'ExportNamedDeclaration') return [];
    if (node['source'] === null) return declaredBy(node, text);
    const from = exportsOf(moduleOf(node, file, root), root);
    return (node['specifiers'] as Node[]).flatMap((specifier) => {
      const [local, exported] = [nameOf(specifier['local']), nameOf(specifier['exported'])];
      const found = from.find(({ name }) => name === local);
      const isType = [node, specifier].some((each) => each['exportKind'] === 'type');
      return found === undefined ? [] : [{ ...renamed(found, exported), ...(isType && { kind: 'type' }) }];
    });
  });
}

const renamed = (found: Declared, name: string): Declared => ({
  ...found,
  name,
  signature: found.signature.replace(new RegExp(`^((?:interface|type|class|const) )${found.name}\\b`), `$1${name}`),
});

const parsed = new Map<string, Node[]>();

function bodyOf(file: string, text: string): Node[] {
  const known = parsed.get(file);
  if (known) return known;
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new SyntaxError(`${file}: ${errors[0].message}`);
  const body = program.body as unknown as Node[];
  parsed.set(file, body);
  return body;
}

const nameOf = (node: unknown): string => (node as { readonly name: string }).name;

/** Finds the declarations of a module that an export names: a file beside it, or the index of another package. */
function moduleOf(node: Node, file: string, root: string): string {
  const { value } = node['source'] as { readonly value: string };
  if (value.startsWith('.')) return join(dirname(file), value.replace(/\.[jt]s$/, '.d.ts'));
  return join(realpathSync(join(root, 'node_modules', value)), 'dist/index.d.ts');
}

function declaredBy(node: Node, text: string): Declared[] {
  const declaration = node['declaration'] as Node | null;
  if (declaration === null) return [];
  const [first = declaration] = (declaration['declarations'] as Node[] | undefined) ?? [];
  const signature = text
    .slice(declaration.start, declaration.end)
    .replace(/^declare (abstract )?/, '')
    .replaceAll(/^ +(#private|private .*);\n/gm, '')
    .replaceAll(/^( +)\1/gm, '$1');
  const comment = commentBefore(text, node.start);
  return [{ name: nameOf(first['id']), kind: kindOf(declaration, first), comment, signature: withoutLinks(signature) }];
}

function kindOf(declaration: Node, first: Node): Declared['kind'] {
  if (declaration.type === 'ClassDeclaration') return 'class';
  if (/^TS(Interface|TypeAlias)/.test(declaration.type)) return 'type';
  const annotation = (first['id'] as { readonly typeAnnotation?: { readonly typeAnnotation: Node } }).typeAnnotation;
  const isFunction = !('declarations' in declaration) || annotation?.typeAnnotation.type === 'TSFunctionType';
  return isFunction ? 'function' : 'constant';
}

/** Text of the comment that ends where a declaration begins, its paragraphs separated by empty lines. */
function commentBefore(text: string, start: number): string {
  const comment = (/\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(text.slice(0, start))?.[0] ?? '')
    .trim()
    .replace(/^\/\*\*/, '')
    .replace(/\*\/$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join('\n')
    .trim()
    .replaceAll(/(?<!\n)\n(?!\n)/g, ' ');
  return withoutLinks(comment);
}

const withoutLinks = (text: string): string => text.replaceAll(/\{@link ([\w.]+)\}/g, '`$1`');
