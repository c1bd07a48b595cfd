import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createClient, createManualClock, createTransport, findContext } from '@kubewright/client';
import { appsv1, corev1, type Transport } from '@kubewright/kube';
import { OPERATORS, paintFor } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { runCommand } from './main.ts';
import type { Terminal } from '../terminal.ts';
import { watchParent } from './watch-parent.ts';

const ALL = OPERATORS.map(({ name }) => name).join(', ');

let directory: string;
let stop: AbortController;
let out: string;
let err: string;
let terminal: Terminal;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubewright-cli-'));
  stop = new AbortController();
  out = '';
  err = '';
  terminal = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    colour: false,
    env: { HOME: directory },
    cwd: directory,
    signal: stop.signal,
  };
});
afterEach(() => {
  stop.abort();
  rmSync(directory, { recursive: true });
});

const LEASES = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  kind: 'Lease',
  namespaced: true,
};

async function transportOf(kubeconfig: string): Promise<Transport> {
  return createTransport((await findContext({ kubeconfig })).options);
}

const ready = (): Promise<void> => vi.waitFor(() => expect(out).toMatch(/^ready$/m), { timeout: 60_000 });

describe('mistakes are answered with one line that says what to do', () => {
  test.each([
    [['owners', 'web'], 'is not KIND/NAME; for example: kubewright owners deployment/web'],
    [['owners', 'deployment/web', 'spec['], "write it like spec.replicas, data['my.key']"],
    [['owners', 'deployment/web'], 'name a cluster with --kubeconfig, or start one with "kubewright up"'],
    [['manager', '--kubeconfig', 'missing'], 'name a cluster with --kubeconfig'],
    [['manager', '--webhook-url', 'http://example.com'], 'it is https://HOST:PORT'],
    [['manager', '--webhook-url', 'https://example.com/path'], 'it is https://HOST:PORT'],
    [['up', '--operators', 'weaver'], `there is no operator "weaver"; there is ${ALL}`],
    [['install', '--operators', 'weaver'], `there is no operator "weaver"; there is ${ALL}`],
    [['cluster', '--nodes', 'many'], 'there are 0 to 5000 nodes'],
    [['up', '--port', 'https'], 'a port is a number from 0 to 65535'],
    [
      ['apiserver', '--port', '0', '--kubeconfig-out', '/proc/none'],
      'choose another place with --kubeconfig-out',
    ],
    [['apiserver', '--port', '0', '--audit-log', '/proc/none/log'], 'choose another file with --audit-log'],
    [['weave'], "unknown command 'weave'"],
    [['migrate', 'pod/consumer-0'], 'add --to NODE'],
  ])('%j', async (args, message) => {
    expect(await runCommand(args, terminal)).toBe(1);
    expect(err).toContain(message);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(err).toMatch(/^kubewright: /);
  });

  test('a cluster that is not there', async () => {
    const kubeconfig =
      'apiVersion: v1\nkind: Config\nclusters: [{name: a, cluster: {server: "https://127.0.0.1:1"}}]\n';
    const { writeFileSync } = await import('node:fs');
    writeFileSync(
      join(directory, 'kc'),
      `${kubeconfig}contexts: [{name: a, context: {cluster: a}}]\ncurrent-context: a\n`,
    );

    expect(
      await runCommand(['owners', 'deployment/web', '--kubeconfig', join(directory, 'kc')], terminal),
    ).toBe(1);
    expect(err).toContain('cannot reach https://127.0.0.1:1');
    expect(err).toContain('"kubewright up" starts one');
  });
});

describe('kubewright up', () => {
  test('plays the job, says where it serves, and ends with 0', async () => {
    const args = ['up', '--port', '0', '--kubeconfig-out', 'kc', '--operators', 'ownership'];
    const ended = runCommand(args, terminal);
    await ready();

    expect(out).toContain(
      '422 Invalid: Deployment.apps "web" is invalid: spec.template.spec.initContainers[0].image: Required value',
    );
    expect(out).toContain(
      'done: moved from Go-http-client (Update): .spec.template.spec.initContainers[name="base-os-bash"]',
    );
    expect(out).toMatch(/init containers: none/);
    expect(out).toMatch(/API +https:\/\/127\.0\.0\.1:\d+/);
    expect(out.endsWith('\nready\n')).toBe(true);
    expect(err).toBe('');
    expect(statSync(join(directory, 'kc')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(directory, 'kc'), 'utf8')).toContain('current-context');

    // The same cluster, by the command that reads owners.
    out = '';
    const path = 'spec.template.spec.containers[name="web"]';
    expect(
      await runCommand(
        ['owners', 'deploy/web', path, '-n', 'demo', '--kubeconfig', join(directory, 'kc')],
        terminal,
      ),
    ).toBe(0);
    expect(out).toContain('Deployment web in demo');
    expect(out).toContain('it would stay');

    stop.abort();
    expect(await ended).toBe(0);
  });

  test('shows life: pods on nodes, and a volume for each pod that keeps something', async () => {
    const args = ['up', '--nodes', '3', '--port', '0', '--kubeconfig-out', 'kc', '--operators', ''];
    const ended = runCommand(args, terminal);
    await ready();
    const transport = await transportOf(join(directory, 'kc'));
    const client = createClient(transport);
    const key = { namespace: 'shop', name: 'orders' };
    await waitForObject(client, appsv1.statefulsets, key, (set) => set?.status?.readyReplicas === 3);
    const { items: claims } = await client.list(corev1.persistentvolumeclaims, { namespace: 'shop' });
    expect(claims.map(({ status }) => status?.phase)).toEqual(['Bound', 'Bound', 'Bound']);
    expect((await client.list(corev1.nodes)).items).toHaveLength(3);
    const path = '/api/v1/namespaces/shop/pods/orders-0/log';
    const { body } = await transport.request({ method: 'GET', path, headers: {} });
    let log = '';
    for await (const chunk of body) log += Buffer.from(chunk).toString();
    expect(log).toContain('orders: started from registry.example/orders:1');
    await transport.close();
    stop.abort();
    expect(await ended).toBe(0);
  });

  test('an audit log has a line for each request, and nothing of what was sent', async () => {
    const args = ['apiserver', '--port', '0', '--kubeconfig-out', 'kc', '--audit-log', 'audit.log'];
    const ended = runCommand(args, terminal);
    await ready();
    const transport = await transportOf(join(directory, 'kc'));
    const secrets = '/api/v1/namespaces/default/secrets';
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ metadata: { name: 'a' }, stringData: { password: 'hush' } });
    await transport.request({ method: 'POST', path: secrets, headers, body });
    await transport.request({ method: 'POST', path: secrets, headers, body: body.replace('"a"', '"-hush"') });
    await transport.close();
    stop.abort();
    expect(await ended).toBe(0);
    const text = readFileSync(join(directory, 'audit.log'), 'utf8');
    const events = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const asked = events.filter(({ objectRef }) => JSON.stringify(objectRef ?? '').includes('secrets'));
    expect(asked.map(({ verb, responseStatus }) => [verb, responseStatus])).toEqual([
      ['create', { metadata: {}, code: 201 }],
      ['create', { metadata: {}, status: 'Failure', reason: 'Invalid', code: 422 }],
    ]);
    expect(text).not.toContain('hush');
    expect(statSync(join(directory, 'audit.log')).mode & 0o777).toBe(0o600);
  });

  test('a port that is taken is named', async () => {
    const first = runCommand(['apiserver', '--port', '0', '--kubeconfig-out', 'a'], terminal);
    await ready();
    const port = /https:\/\/127\.0\.0\.1:(\d+)/.exec(out)?.[1] ?? '';

    expect(await runCommand(['apiserver', '--port', port, '--kubeconfig-out', 'b'], terminal)).toBe(1);
    expect(err).toContain(`port ${port} is taken; choose another with --port, 0 takes a free one`);

    stop.abort();
    expect(await first).toBe(0);
  });

  test('--no-demo serves an empty cluster', async () => {
    const ended = runCommand(['up', '--port', '0', '--no-demo', '--kubeconfig-out', 'kc'], terminal);
    await ready();

    expect(out).not.toContain('Go-http-client');

    stop.abort();
    expect(await ended).toBe(0);
  });
});

describe('kubewright manager', () => {
  test('two of them: one leads, and when it is stopped the other works', async () => {
    const ended = runCommand(['apiserver', '--port', '0', '--kubeconfig-out', 'kc'], terminal);
    await ready();
    const args = ['manager', '--kubeconfig', join(directory, 'kc'), '--webhook-port', '0'];
    const client = createClient(await transportOf(join(directory, 'kc')));
    const holder = async (): Promise<string> => {
      const lease = await client.get(LEASES, { namespace: 'kube-system', name: 'kubewright' });
      return (lease as { spec?: { holderIdentity?: string } }).spec?.holderIdentity ?? '';
    };
    const stops = [new AbortController(), new AbortController()] as const;
    const first = runCommand(args, { ...terminal, signal: stops[0].signal });
    await vi.waitFor(async () => expect(await holder()).not.toBe(''), { timeout: 20_000 });
    const leader = await holder();
    const second = runCommand(args, { ...terminal, signal: stops[1].signal });
    await vi.waitFor(() => expect(out.split(`operators: ${ALL} on`)).toHaveLength(3), {
      timeout: 20_000,
    });
    expect(await holder()).toBe(leader);

    stops[0].abort();
    expect(await first).toBe(0);
    await vi.waitFor(async () => expect(['', leader]).not.toContain(await holder()), { timeout: 20_000 });
    stops[1].abort();
    expect(await second).toBe(0);
    expect(await holder()).toBe('');

    stop.abort();
    expect(await ended).toBe(0);
  });
});

test('kubewright cluster ends namespaces and what is in them', async () => {
  const ended = runCommand(['cluster', '--port', '0', '--kubeconfig-out', 'kc'], terminal);
  await ready();
  const client = createClient(await transportOf(join(directory, 'kc')));
  const [namespaces, maps] = (['Namespace', 'ConfigMap'] as const).map((kind) => ({
    group: '',
    version: 'v1',
    kind,
  }));
  assert(namespaces !== undefined && maps !== undefined, 'two kinds');
  const object = (kind: string, metadata: object) => ({ apiVersion: 'v1', kind, metadata });
  await client.create(namespaces, object('Namespace', { name: 'short' }));
  await client.create(maps, object('ConfigMap', { name: 'a', namespace: 'short' }));
  await client.delete(namespaces, { name: 'short' });
  await vi.waitFor(() => expect(client.get(namespaces, { name: 'short' })).rejects.toThrow('not found'), {
    timeout: 20_000,
  });
  stop.abort();
  expect(await ended).toBe(0);
});

test('schema import writes the catalogue of a cluster', async () => {
  const ended = runCommand(['apiserver', '--port', '0', '--kubeconfig-out', 'kc'], terminal);
  await ready();
  const file = join(directory, 'catalogue.json');

  expect(
    await runCommand(['schema', 'import', '--kubeconfig', join(directory, 'kc'), '-o', file], terminal),
  ).toBe(0);
  expect(out).toMatch(/catalogue\.json: \d+ types of Kubernetes/);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty(['documents', 'apis/apps/v1']);

  stop.abort();
  expect(await ended).toBe(0);
});

test('a command ends when the shell that started it is gone', async () => {
  const clock = createManualClock();
  let parent = 7;
  const gone = vi.fn<() => void>();
  watchParent(() => parent, gone, clock);

  await clock.advance(1_000);
  expect(gone).not.toHaveBeenCalled();
  parent = 1;
  await clock.advance(1_000);
  expect(gone).toHaveBeenCalledOnce();
});

test('colour is for terminals only', () => {
  expect(paintFor(false)('red', 'x')).toBe('x');
  expect(paintFor(true)('red', 'x')).toBe('\u001b[31mx\u001b[39m');
});
