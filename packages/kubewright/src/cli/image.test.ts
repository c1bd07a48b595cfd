import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, createTransport, findContext } from '@kubewright/client';
import { corev1, type Transport } from '@kubewright/kube';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runCommand } from './main.ts';

/** Tells a server on the loopback who it is, and says goodbye when it is asked to end. */
const WORKER = `
import { connect } from 'node:net';
const { PORT, POD_NAME, POD_UID, HOSTNAME } = process.env;
console.log('I am', POD_NAME, HOSTNAME, process.argv.slice(2).join(' '));
console.error('careful');
const socket = connect(Number(PORT), '127.0.0.1', () => socket.write('hello from ' + POD_UID + '\\n'));
process.once('SIGTERM', () => socket.end('goodbye\\n'));
`;

let folder: string;
let out: string;
let err: string;
let stop: AbortController;
const run = (...args: readonly string[]): Promise<number> =>
  runCommand([...args], {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    colour: false,
    env: { HOME: folder },
    cwd: folder,
    signal: stop.signal,
  });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubewright-image-'));
  [out, err, stop] = ['', '', new AbortController()];
});
afterEach(() => {
  stop.abort();
  rmSync(folder, { recursive: true });
});

/** What workers say to it. */
async function listener(): Promise<{
  readonly server: Server;
  readonly port: number;
  readonly heard: () => string;
}> {
  let heard = '';
  const server = createServer((socket) =>
    socket.setEncoding('utf8').on('data', (text: string) => (heard += text)),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, port: typeof address === 'object' ? (address?.port ?? 0) : 0, heard: () => heard };
}

async function logOf(transport: Transport, pod: string): Promise<string> {
  const path = `/api/v1/namespaces/default/pods/${pod}/log`;
  const { body } = await transport.request({ method: 'GET', path, headers: {} });
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

function podOf(name: string, port: number): corev1.Pod {
  const field = (fieldPath: string): Partial<corev1.EnvVar> => ({ valueFrom: { fieldRef: { fieldPath } } });
  const env: corev1.EnvVar[] = [
    { name: 'PORT', value: String(port) },
    { name: 'POD_NAME', ...field('metadata.name') },
    { name: 'POD_UID', ...field('metadata.uid') },
  ];
  const container = {
    name: 'main',
    image: 'registry.example/greeter:v1',
    args: ['--pod', '$(POD_NAME)'],
    env,
  };
  const kind = { apiVersion: 'v1', kind: 'Pod' } as const;
  return { ...kind, metadata: { name, namespace: 'default' }, spec: { containers: [container] } };
}

describe('--image', () => {
  test.each(['cluster', 'up'])(
    '%s: containers of the image run the file, print, open sockets, and end',
    async (command) => {
      writeFileSync(join(folder, 'greeter.mjs'), WORKER);
      const { server, port, heard } = await listener();
      const flags = [
        '--port',
        '0',
        '--kubeconfig-out',
        'kc',
        '--image',
        'registry.example/greeter:v1=greeter.mjs',
      ];
      const ended = run(command, ...flags, ...(command === 'up' ? ['--no-demo', '--operators', ''] : []));
      await vi.waitFor(() => expect(out).toMatch(/^ready$/m), { timeout: 200_000 });
      const { options } = await findContext({ kubeconfig: join(folder, 'kc') });
      const transport = createTransport(options);
      const client = createClient(transport);
      const { metadata } = await client.create(corev1.pods, podOf('greeter', port));

      await expect.poll(heard).toBe(`hello from ${metadata.uid}\n`);
      await expect.poll(() => logOf(transport, 'greeter')).toMatch(/careful/);
      expect(await logOf(transport, 'greeter')).toContain('I am greeter greeter --pod greeter');
      await client.delete(corev1.pods, { namespace: 'default', name: 'greeter' });
      await expect.poll(heard).toMatch(/goodbye/);
      await expect
        .poll(() => client.list(corev1.pods, { namespace: 'default' }))
        .toMatchObject({ items: [] });

      stop.abort();
      expect(await ended).toBe(0);
      await transport.close();
      server.close();
    },
  );

  test.each([
    [['--image', 'greeter'], 'an image is NAME=FILE.js'],
    [['--image', '=greeter.mjs'], 'an image is NAME=FILE.js'],
    [['--image', 'a=x.mjs', '--image', 'a=y.mjs'], 'the image a has two files'],
    [['--image', 'a=missing.mjs'], 'there is no file missing.mjs for the image a'],
    [['--image', 'a=.'], 'there is no file . for the image a'],
  ])('%j is answered with one line', async (flags, message) => {
    expect(await run('cluster', '--port', '0', ...flags)).toBe(1);
    expect(err).toContain(message);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });
});
