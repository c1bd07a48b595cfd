import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import * as net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findContext } from '../kubeconfig/find-context.ts';
import { TEST_CERTIFICATE } from '../testing/test-certificate.ts';
import { startServer } from '../testing/test-servers.ts';
import { createTransport } from './create-transport.ts';
import { proxyFromEnvironment } from './proxy-from-environment.ts';
import { collectBody } from './response-body.ts';

const HTTPS_PROXY = 'http://proxy.corp:3128';
const through = (url: string, env: Readonly<Record<string, string>> = {}): string | undefined =>
  proxyFromEnvironment(url, { HTTPS_PROXY, ...env });

describe('a server is reached through the proxy of the environment', () => {
  it('by the variable of its scheme, in upper or lower case', () => {
    expect(through('https://api.test:6443')).toBe(HTTPS_PROXY);
    expect(proxyFromEnvironment('https://api.test', { https_proxy: HTTPS_PROXY })).toBe(HTTPS_PROXY);
    expect(proxyFromEnvironment('https://api.test', { HTTP_PROXY: HTTPS_PROXY })).toBeUndefined();
    expect(proxyFromEnvironment('http://api.test', { HTTP_PROXY: HTTPS_PROXY })).toBe(HTTPS_PROXY);
    expect(through('http://api.test')).toBeUndefined();
    expect(through('https://api.test', { HTTPS_PROXY: '' })).toBeUndefined();
  });

  it('which is http where it has no scheme', () => {
    expect(through('https://api.test', { HTTPS_PROXY: 'proxy.corp:3128' })).toBe('http://proxy.corp:3128');
    expect(through('https://api.test', { HTTPS_PROXY: '10.0.0.1' })).toBe('http://10.0.0.1');
    expect(through('https://api.test', { HTTPS_PROXY: 'socks5://proxy' })).toBe('socks5://proxy');
  });

  it.each(['https://localhost:6443', 'https://127.0.0.1:6443', 'https://127.8.8.8', 'https://[::1]:6443'])(
    'but %s, whatever the environment says',
    (url) => expect(through(url)).toBeUndefined(),
  );

  it.each([
    ['*', 'https://api.test'],
    ['api.test', 'https://api.test:6443'],
    ['API.Test', 'https://api.test:6443'],
    ['test', 'https://api.test:6443'],
    ['.test', 'https://api.test:6443'],
    ['*.test', 'https://api.test:6443'],
    ['other, api.test:6443', 'https://api.test:6443'],
    ['api.test:443', 'https://api.test'],
    ['10.0.0.7', 'https://10.0.0.7:6443'],
    ['10.0.0.7:6443', 'https://10.0.0.7:6443'],
    ['10.0.0.0/8', 'https://10.9.8.7:6443'],
    ['fd00::/8', 'https://[fd00::7]:6443'],
    ['[fd00::7]:6443', 'https://[fd00:0::7]:6443'],
  ])('unless NO_PROXY is %s, for %s', (noProxy, url) => {
    expect(through(url, { NO_PROXY: noProxy })).toBeUndefined();
    expect(through(url, { no_proxy: noProxy })).toBeUndefined();
  });

  it.each([
    ['', 'https://api.test'],
    [' , ', 'https://api.test'],
    ['.api.test', 'https://api.test'],
    ['*.api.test', 'https://api.test'],
    ['pi.test', 'https://api.test'],
    ['api.test:443', 'https://api.test:6443'],
    ['10.0.0.7', 'https://10.0.0.70'],
    ['10.0.0.0/33', 'https://10.0.0.0'],
    ['10.0.0.0/8', 'https://api.test'],
    ['10.0.0.0/8', 'https://[fd00::7]'],
  ])('also if NO_PROXY is "%s", for %s', (noProxy, url) => {
    expect(through(url, { NO_PROXY: noProxy })).toBe(HTTPS_PROXY);
  });
});

describe('a context that is found', () => {
  const cleanUp: (() => unknown)[] = [];
  afterEach(async () => {
    for (const clean of cleanUp.splice(0).reverse()) await clean();
  });

  /** A proxy in front of a network in which every name is this machine. */
  async function connectProxy(): Promise<{ readonly url: string; readonly asked: string[] }> {
    const [asked, sockets] = [[] as string[], new Set<net.Socket>()];
    const proxy = http.createServer();
    proxy.on('connect', (request: http.IncomingMessage, near: net.Socket) => {
      asked.push(String(request.url));
      const far = net.connect(Number(String(request.url).split(':')[1]), '127.0.0.1', () => {
        near.write('HTTP/1.1 200 OK\r\n\r\n');
        near.pipe(far).pipe(near);
      });
      for (const socket of [near, far]) socket.on('error', () => undefined);
      sockets.add(near).add(far);
    });
    await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
    cleanUp.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => proxy.close(resolve));
    });
    return { url: `http://127.0.0.1:${(proxy.address() as net.AddressInfo).port}`, asked };
  }

  async function world(cluster: Readonly<Record<string, string>> = {}) {
    const server = await startServer((_request, response) => response.end('here'));
    cleanUp.push(() => server.stop());
    const folder = mkdtempSync(join(tmpdir(), 'kubewright-proxy-'));
    cleanUp.push(() => rmSync(folder, { recursive: true }));
    const data = Buffer.from(TEST_CERTIFICATE).toString('base64');
    const target = `api.test:${server.port}`;
    const own = { server: `https://${target}`, 'certificate-authority-data': data, ...cluster };
    const config = {
      clusters: [{ name: 'c', cluster: own }],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    const kubeconfig = join(folder, 'config');
    writeFileSync(kubeconfig, JSON.stringify(config));
    return { kubeconfig, target };
  }

  async function read(kubeconfig: string, env: Readonly<Record<string, string>>): Promise<string> {
    const { options } = await findContext({ kubeconfig, env });
    const transport = createTransport(options);
    cleanUp.push(() => transport.close());
    const { body } = await transport.request({ method: 'GET', path: '/', headers: {} });
    return Buffer.from(await collectBody(body, 1e6)).toString();
  }

  it('is called through HTTPS_PROXY', async () => {
    const { kubeconfig, target } = await world();
    const proxy = await connectProxy();
    expect(await read(kubeconfig, { HTTPS_PROXY: proxy.url })).toBe('here');
    expect(proxy.asked).toEqual([target]);
  });

  it('is called through the proxy-url of its kubeconfig where there is one', async () => {
    const [first, second] = [await connectProxy(), await connectProxy()];
    const { kubeconfig, target } = await world({ 'proxy-url': second.url });
    expect(await read(kubeconfig, { HTTPS_PROXY: first.url, NO_PROXY: '*' })).toBe('here');
    expect([first.asked, second.asked]).toEqual([[], [target]]);
  });

  it('in a pod is called through HTTPS_PROXY too, as by client-go', async () => {
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443', HTTPS_PROXY };
    expect((await findContext({ env })).options).toMatchObject({ proxyUrl: HTTPS_PROXY });
    const inside = { ...env, NO_PROXY: '10.0.0.0/8' };
    expect((await findContext({ env: inside })).options).not.toHaveProperty('proxyUrl');
  });

  it('is an error that shows no password where the proxy is no address', async () => {
    const { kubeconfig } = await world();
    const error: unknown = await findContext({
      kubeconfig,
      env: { HTTPS_PROXY: 'ftp://me:hunter2@proxy' },
    }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'InvalidConfig' });
    expect(String(error)).toContain('HTTPS_PROXY');
    expect(String(error)).not.toContain('hunter2');
  });
});
