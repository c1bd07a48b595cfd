import { parseJson } from '@kubewright/kube';
import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import type { Reply } from '../request/reply.ts';
import { parseAccept } from '../request/negotiate.ts';
import type { HandledRequest } from '../request/handled-request.ts';

/** Smaller responses are not worth compressing; the real server's threshold. */
const GZIP_FROM = 128 * 1024;

/** Encodes a response as the client accepts it: YAML, indented JSON, compressed. */
export function encodeReply(request: HandledRequest, reply: Reply): Reply {
  const { body } = reply;
  if (!isWhole(body)) return reply;
  const shown = isJson(reply) ? encodeJson(request, reply, body) : reply;
  return compressed(request, shown);
}

function isWhole(body: Reply['body']): body is readonly Uint8Array[] {
  return Array.isArray(body);
}

function isJson({ headers }: Reply): boolean {
  return headers['content-type'] === 'application/json';
}

function encodeJson(request: HandledRequest, reply: Reply, body: readonly Uint8Array[]): Reply {
  if (wantsYaml(request)) {
    const text = stringify(parseJson(Buffer.concat(body)), {
      version: '1.1',
      sortMapEntries: true,
      indentSeq: false,
    });
    const headers = { ...reply.headers, 'content-type': 'application/yaml' };
    return { ...reply, headers, body: [Buffer.from(text)] };
  }
  if (!wantsIndent(request)) return reply;
  // Not through numbers: what JSON.parse would round stays text.
  return { ...reply, body: [Buffer.from(`${indent(Buffer.concat(body).toString().trimEnd())}\n`)] };
}

function wantsYaml({ headers: { accept } }: HandledRequest): boolean {
  if (typeof accept !== 'string' || !accept.includes('yaml')) return false;
  return parseAccept(accept)[0]?.type === 'application/yaml';
}

const PEOPLE = /^(?:curl|Wget|Mozilla\/5\.0)/;

/** Programs whose output people read get indented JSON by default. */
function wantsIndent({ path, headers }: HandledRequest): boolean {
  const [, pretty] = /[?&]pretty=?([^&]*)/.exec(path) ?? [];
  if (pretty !== undefined) return pretty !== 'false' && pretty !== '0';
  const agent = headers['user-agent'];
  return typeof agent === 'string' && PEOPLE.test(agent);
}

/** JSON text with two spaces per level. */
function indent(json: string): string {
  let depth = 0;
  const lineBreak = (): string => `\n${'  '.repeat(depth)}`;
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}[\],:]/g, (token) => {
    if (token === '{' || token === '[') {
      depth += 1;
      return token + lineBreak();
    }
    if (token === '}' || token === ']') {
      depth -= 1;
      return lineBreak() + token;
    }
    if (token === ',') return token + lineBreak();
    return token === ':' ? ': ' : token;
  });
}

function compressed({ headers, method }: HandledRequest, reply: Reply): Reply {
  const { body } = reply;
  const accepts = headers['accept-encoding'];
  if (!isWhole(body) || method !== 'GET' || typeof accepts !== 'string' || !accepts.includes('gzip'))
    return reply;
  const size = body.reduce((sum, chunk) => sum + chunk.length, 0);
  if (size < GZIP_FROM) return reply;
  const bytes = gzipSync(Buffer.concat(body), { level: 1 });
  return {
    ...reply,
    headers: { ...reply.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' },
    body: [bytes],
  };
}
