/** Follows what a package exports to where it is declared. */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** An exported name with its declaration, as it stands in the source. */
export interface Declared {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'constant' | 'type';
  /** The comment before it, without its frame. */
  readonly comment: string;
  /** The declaration without the bodies of functions. */
  readonly signature: string;
  /** The file, from the root of the repository. */
  readonly file: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** All exports of a file, in the order of the file; `root` is the folder of the workspace. */
export function exportsOf(file: string, root: string): Declared[] {
  const text = readFileSync(file, 'utf8');
  return bodyOf(file, text).flatMap((node): Declared[] => {
    if (node.type === 'ExportAllDeclaration') return exportsOf(moduleOf(node, file, root), root);
    if (node.type !== 'ExportNamedDeclaration') return [];
    if (node['source'] === null) return declaredBy(node, text, file, root);
    const from = moduleOf(node, file, root);
    return (node['specifiers'] as Node[]).flatMap((specifier) => {
      const [local, exported] = [nameOf(specifier['local']), nameOf(specifier['exported'])];
      const found = exportsOf(from, root).find(({ name }) => name === local);
      return found === undefined ? [] : [renamed(found, exported)];
    });
  });
}

/** The same under the name by which it is exported. */
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

/** The file of a module that is named in an export: one beside it, or another package's index. */
function moduleOf(node: Node, file: string, root: string): string {
  const { value } = node['source'] as { readonly value: string };
  if (value.startsWith('.')) return join(dirname(file), value);
  return join(realpathSync(join(root, 'node_modules', value)), 'src/index.ts');
}

function declaredBy(node: Node, text: string, file: string, root: string): Declared[] {
  const declaration = node['declaration'] as Node | null;
  if (declaration === null) return [];
  const comment = commentBefore(text, node.start);
  const where = file.slice(root.length + 1);
  const one = (name: string, kind: Declared['kind'], signature: string): Declared[] => [
    { name, kind, comment, signature: signature.trim(), file: where },
  ];
  switch (declaration.type) {
    case 'FunctionDeclaration':
      return one(nameOf(declaration['id']), 'function', text.slice(declaration.start, bodyStart(declaration)));
    case 'ClassDeclaration':
      return one(nameOf(declaration['id']), 'class', classSignature(declaration, text));
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return one(nameOf(declaration['id']), 'type', text.slice(declaration.start, declaration.end));
    case 'VariableDeclaration':
      return (declaration['declarations'] as Node[]).flatMap((each) => constant(each, text, one));
    default:
      return [];
  }
}

/** A function that is a constant, or a table. */
function constant(
  each: Node,
  text: string,
  one: (name: string, kind: Declared['kind'], signature: string) => Declared[],
): Declared[] {
  const id = each['id'] as Node;
  const init = each['init'] as Node | null;
  if (init?.type === 'ArrowFunctionExpression') {
    const head = text.slice(init.start, bodyStart(init)).replace(/=>\s*\(?\s*$/, '');
    return one(nameOf(id), 'function', `function ${nameOf(id)}${head}`);
  }
  return one(nameOf(id), 'constant', `const ${text.slice(id.start, id.end)}`);
}

const bodyStart = (node: Node): number => (node['body'] as Node | null)?.start ?? node.end;

/** The public members of a class. */
function classSignature(node: Node, text: string): string {
  const members = ((node['body'] as Node)['body'] as Node[]).flatMap((member) => {
    const key = member['key'] as Node | undefined;
    if (key === undefined || key.type === 'PrivateIdentifier' || member['accessibility'] === 'private') return [];
    const comment = rawCommentBefore(text, member.start);
    const signature = member.type === 'PropertyDefinition' ? propertyOf(member, text) : methodOf(member, text);
    return [`${comment === '' ? '' : `  ${withoutLinks(comment)}\n`}  ${signature.replace(/^override /, '')};`];
  });
  const parent = node['superClass'] as Node | null;
  const heritage = parent === null ? '' : ` extends ${text.slice(parent.start, parent.end)}`;
  return `class ${nameOf(node['id'])}${heritage} {\n${members.join('\n')}\n}`;
}

function methodOf(member: Node, text: string): string {
  const value = member['value'] as Node | null;
  return text.slice(member.start, value ? bodyStart(value) : member.end).trim();
}

/** A property with its type, which is derived from its value where none is written. */
function propertyOf(member: Node, text: string): string {
  const [key, type, value] = [member['key'], member['typeAnnotation'], member['value']] as (Node | null)[];
  const head = text.slice(member.start, (type ?? key)!.end);
  if (type || !value) return head;
  const told = value.type === 'NewExpression' ? (value['callee'] as Node) : value;
  return told.type === 'Identifier' || told.type === 'Literal' ? `${head}: ${text.slice(told.start, told.end)}` : head;
}

function rawCommentBefore(text: string, start: number): string {
  return /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(text.slice(0, start))?.[0].trim() ?? '';
}

/** The text of the comment that ends where a declaration begins, its paragraphs parted by empty lines. */
function commentBefore(text: string, start: number): string {
  const comment = rawCommentBefore(text, start)
    .replace(/^\/\*\*/, '')
    .replace(/\*\/$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join('\n')
    .trim()
    .replaceAll(/(?<!\n)\n(?!\n)/g, ' ');
  return withoutLinks(comment);
}

const withoutLinks = (comment: string): string => comment.replaceAll(/\{@link ([\w.]+)\}/g, '`$1`');
