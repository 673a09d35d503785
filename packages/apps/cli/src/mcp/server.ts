/** Server of the Model Context Protocol on standard input and output, with the official SDK, which users install. */
import { once } from 'node:events';
import process from 'node:process';
import { version } from '../terminal/own-package.ts';
import { callTool } from './call.ts';
import { type Limits, TOOLS } from './tools.ts';

/** Answers requests until the input ends or the signal comes; both end all running calls. */
export async function serveTools(limits: Limits, interrupted: AbortSignal): Promise<void> {
  const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const { CallToolRequestSchema, ListToolsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/sdk/validation/ajv');

  const validator = new AjvJsonSchemaValidator();
  const problemIn = (schema: object, given: unknown): string | null =>
    validator.getValidator(schema)(given).errorMessage ?? null;
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const named = { name: 'isolab', version: version() };
  const offered = { capabilities: { tools: {} }, instructions: ABOUT };
  // The transport closes after a message that is too long.
  const server = Object.assign(new Server(named, offered), { onclose: end });
  const tools = Object.entries(TOOLS).map(([name, { title, description, inputSchema, annotations }]) => ({
    name,
    title,
    description,
    inputSchema,
    annotations,
  }));
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
    callTool(params, { limits, problemIn, signal: AbortSignal.any([signal, ending.signal]) }),
  );
  interrupted.addEventListener('abort', end);
  process.stdin.on('end', end);
  process.stdin.on('close', end);
  const ended = once(ending.signal, 'abort');
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}

const ABOUT = `isolab reads what clients asked a database and what it answered, and decides which isolation levels that history satisfies. Paths are paths of the machine on which isolab runs. A verdict is satisfied, violated or unknown; unknown is no pass. An error of a tool is no verdict.`;
