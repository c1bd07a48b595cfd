import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { defined, type Transport } from '@kubewright/kube';
import { type Attack, inputs, isShort } from './attack.ts';
import type { Installation } from './installation.ts';

const NAMESPACE = 'requests';
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const SERVICES = `/api/v1/namespaces/${NAMESPACE}/services`;
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;

const ANONYMOUS = 300;
const LARGE = 2_900_000;
const ENTRIES = 20_000;
/** Of a collection that is listed and deleted: 20 MB. */
const OBJECTS = 2000;
const OBJECT_BYTES = 10_000;

/** Each of how many is played in the short form. */
const SHORT = 4;

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const APPLY_TYPE = 'application/apply-patch+yaml';

type Method = 'POST' | 'PATCH' | 'GET' | 'DELETE';
type Request = {
  readonly what: string;
  readonly method: Method;
  readonly path: string;
  readonly type?: string;
  readonly accept?: string;
  readonly body?: string;
};

const many = <T>(amount: number, make: (index: number) => T): T[] =>
  Array.from({ length: amount }, (_, index) => make(index));

/** Texts of YAML of which each part is small. */
const YAML: Readonly<Record<string, string>> = {
  'braces that open': '{a: '.repeat(200_000),
  'question marks': '? '.repeat(400_000),
  comments: '#a\n'.repeat(600_000),
  'empty lines': `a:\n${'\n'.repeat(1_800_000)} x`,
  tags: '!a '.repeat(600_000),
  anchors: '&a '.repeat(600_000),
  escapes: `a: "${String.raw`\'`.repeat(900_000)}"`,
  keys: many(200_000, (index) => `k${index}: 1\n`).join(''),
  aliases: `x: &x {}\n${many(150_000, (index) => `b${index}: *x\n`).join('')}`,
  'a long text': `a: |\n${' x\n'.repeat(600_000)}`,
};

const JSON_BODIES: Readonly<Record<string, string>> = {
  'a number of millions of digits': `{"metadata":{"name":"digits"},"n":${'9'.repeat(LARGE)}}`,
  'brackets that open': '['.repeat(LARGE),
  'many numbers': `{"n":[${'1,'.repeat(1_400_000)}1]}`,
  'unknown fields': JSON.stringify({
    metadata: { name: 'unknown' },
    ...Object.fromEntries(many(90_000, (index) => [`k${index}`, 1])),
  }),
  'owners that all control': bodyOf('owned', {
    ownerReferences: many(1000, (index) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: `o${index}`,
      uid: `u${index}`,
      controller: true,
    })),
  }),
  'labels that are none': bodyOf('labelled', {
    labels: Object.fromEntries(many(60_000, (index) => [`k$${index}`, 'a b'])),
  }),
};

function bodyOf(name: string, metadata: object, more: object = {}): string {
  return JSON.stringify({ metadata: { name, ...metadata }, ...more });
}

function applied(what: string, by: string, value: string, force: boolean): Request[] {
  const query = `?fieldManager=${by}${force ? '&force=true' : ''}`;
  const apply = (path: string, kind: string, name: string, more: object): Request => ({
    what: `${what}: ${kind}`,
    method: 'PATCH',
    path: `${path}/${name}${query}`,
    type: APPLY_TYPE,
    body: JSON.stringify({ apiVersion: 'v1', kind, metadata: { name }, ...more }),
  });
  const ports = many(ENTRIES, (index) => ({ name: `p${index}`, port: index + 1, targetPort: `t-${value}` }));
  const data = Object.fromEntries(many(ENTRIES, (index) => [`k${index}`, value]));
  return [
    apply(SERVICES, 'Service', 'many', { spec: { ports } }),
    apply(MAPS, 'ConfigMap', 'many', { data }),
  ];
}

/** What a user with rights may send, each of at most 3 MB. */
function requests(): readonly Request[] {
  const create = (what: string, body: string, type: string): Request => {
    return { what, method: 'POST', path: `${MAPS}?fieldValidation=Strict`, type, body };
  };
  const containers = many(30_000, () => ({ name: 'A$' }));
  return [
    ...Object.entries(YAML).map(([what, body]) => create(`YAML: ${what}`, body, YAML_TYPE)),
    ...Object.entries(JSON_BODIES).map(([what, body]) => create(`JSON: ${what}`, body, JSON_TYPE)),
    {
      what: 'bad containers',
      method: 'POST',
      path: PODS,
      type: JSON_TYPE,
      body: bodyOf('bad', {}, { spec: { containers } }),
    },
    ...applied('apply', 'one', 'x', false),
    ...applied('apply of others', 'two', 'y', false),
    ...applied('apply by force', 'two', 'y', true),
    { what: 'a full list', method: 'GET', path: MAPS },
    { what: 'a full list as a table', method: 'GET', path: MAPS, accept: TABLE },
    { what: 'deletecollection', method: 'DELETE', path: MAPS },
  ];
}

export const apiRequests: Attack = {
  name: 'api-requests',
  about:
    'somebody without credentials sends the API 300 bodies of 2.9 MB; an editor sends it bodies, applies and lists that take long to read, check, merge or delete',
  maxDelayMs: 500,
  async play({ apiUrl, transport, namespace }: Installation) {
    await namespace(NAMESPACE);
    const effects = await sendAnonymously(apiUrl);
    await fill(transport);
    const all = requests().filter((_, index) => !isShort || index % SHORT === 0);
    for (const request of all) {
      const status = await statusOf(transport, request);
      if (status === 0 || status >= 500) effects.push(`${request.what} was answered with ${status}`);
    }
    return { inputs: inputs(ANONYMOUS) + inputs(OBJECTS) + all.length, effects };
  },
};

/** On a connection each. */
async function sendAnonymously(url: string): Promise<string[]> {
  const body = Buffer.alloc(LARGE, 32);
  const sessions: ClientHttp2Session[] = [];
  const statuses = await Promise.all(
    many(inputs(ANONYMOUS), async () => {
      const session = connect(url, { rejectUnauthorized: false });
      session.on('error', () => undefined);
      sessions.push(session);
      const stream = session.request({ ':method': 'POST', ':path': MAPS, 'content-length': LARGE });
      stream.on('error', () => undefined);
      stream.end(body);
      const [headers] = await Promise.race([
        once(stream, 'response'),
        once(stream, 'close').then(() => [{}]),
      ]);
      stream.resume();
      return String((headers as Record<string, unknown>)[':status']);
    }),
  );
  for (const session of sessions) session.destroy();
  const others = statuses.filter((status) => status !== '403');
  return others.length === 0
    ? []
    : [`${others.length} anonymous requests got ${[...new Set(others)].join()}`];
}

async function fill(transport: Transport): Promise<void> {
  const data = { big: 'x'.repeat(OBJECT_BYTES) };
  for (let at = 0; at < inputs(OBJECTS); at += 20)
    await Promise.all(
      many(20, (index) =>
        statusOf(transport, {
          what: '',
          method: 'POST',
          path: MAPS,
          type: JSON_TYPE,
          body: bodyOf(`m${at + index}`, {}, { data }),
        }),
      ),
    );
}

/** 0 where there is no response. */
async function statusOf(
  transport: Transport,
  { method, path, type, accept, body }: Request,
): Promise<number> {
  try {
    const headers = defined({ 'content-type': type, accept });
    const response = await transport.request(defined({ method, path, headers, body }));
    for await (const _ of response.body) continue;
    return response.status;
  } catch {
    return 0;
  }
}
