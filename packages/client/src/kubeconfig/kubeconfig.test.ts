import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { impersonationHeaders } from './impersonation-headers.ts';
import { resolveContext } from './kubeconfig-transport.ts';
import { loadKubeconfig } from './load-kubeconfig.ts';
import { parseKubeconfig } from './parse-kubeconfig.ts';

const EXAMPLE = `
apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: one
  cluster: {server: "https://one:6443", certificate-authority: ca.crt, tls-server-name: api.internal}
- name: two
  cluster: {server: https://two, certificate-authority-data: ${Buffer.from('PEM').toString('base64')}, insecure-skip-tls-verify: false}
users:
- name: number
  user: {token: 0123, client-certificate: /abs/cert.pem, client-key: key.pem}
- name: boss
  user: {token: t, as: jane, as-groups: [a, "b,c"], as-uid: u1, as-user-extra: {Scopes/x: [view]}}
contexts:
- name: dev
  context: {cluster: one, user: number, namespace: team}
- name: other
  context: {cluster: two, user: boss}
- name: broken
  context: {cluster: two, user: nobody}
`;

describe('a kubeconfig', () => {
  const config = parseKubeconfig(EXAMPLE, '/home/me/.kube/config');

  it('takes relative paths from its own folder, decodes data and never turns a token into a number', () => {
    expect(config.clusters.get('one')).toEqual({
      server: 'https://one:6443',
      certificateAuthority: '/home/me/.kube/ca.crt',
      tlsServerName: 'api.internal',
    });
    expect(config.clusters.get('two')).toEqual({ server: 'https://two', certificateAuthorityData: 'PEM' });
    expect(config.users.get('number')).toEqual({
      token: '0123',
      clientCertificate: '/abs/cert.pem',
      clientKey: '/home/me/.kube/key.pem',
    });
  });

  it('resolves the current context, or the one asked for', () => {
    expect(resolveContext(config)).toMatchObject({
      name: 'dev',
      namespace: 'team',
      options: { url: 'https://one:6443', serverName: 'api.internal' },
    });
    expect(resolveContext(config, { context: 'other' })).toMatchObject({ namespace: 'default' });
  });

  it('sends who is impersonated, with groups kept apart', () => {
    expect(resolveContext(config, { context: 'other' }).options.headers).toEqual({
      'impersonate-user': 'jane',
      'impersonate-uid': 'u1',
      'impersonate-group': ['a', 'b,c'],
      'impersonate-extra-scopes%2Fx': ['view'],
    });
    expect(impersonationHeaders({ user: 'x' })).toEqual({ 'impersonate-user': 'x' });
  });

  it.each([
    [
      'a context that is not there',
      'nope',
      'kubeconfig /home/me/.kube/config has no context "nope": it has dev, other, broken',
    ],
    [
      'a user that is not there',
      'broken',
      'context "broken" of kubeconfig /home/me/.kube/config has no user "nobody": it has number, boss',
    ],
  ])('names %s', (_title, context, message) => {
    expect(() => resolveContext(config, { context })).toThrow(message);
  });

  it('finds an exec plugin on the PATH by its name, beside the kubeconfig by a relative path', () => {
    const exec = (command: string) => {
      const source = `users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ${command}, env: [{name: A, value: b}]}}}]`;
      return parseKubeconfig(source, '/etc/kube/config').users.get('u')?.exec;
    };
    expect(exec('login')).toMatchObject({
      command: 'login',
      env: { A: 'b' },
      interactiveMode: 'IfAvailable',
    });
    expect(exec('./bin/login')?.command).toBe('/etc/kube/bin/login');
    expect(exec('/bin/login')?.command).toBe('/bin/login');
  });

  it('refuses groups without a user to impersonate', () => {
    const source = 'users: [{name: u, user: {as-groups: [a]}}]';
    expect(() => parseKubeconfig(source, 'f')).toThrow(/impersonates groups/);
  });

  it('refuses a file that is not YAML, with its name', () => {
    expect(() => parseKubeconfig('a: [', '/some/file')).toThrow(/\/some\/file is not a kubeconfig/);
  });
});

describe('loadKubeconfig', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
    await writeFile(join(folder, 'a'), 'users: [{name: u, user: {token: a}}]\ncurrent-context: ""\n');
    await writeFile(join(folder, 'b'), EXAMPLE.replace('name: number', 'name: u'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('merges the list of KUBECONFIG: the first to name something wins, missing files are passed over', async () => {
    const env = { KUBECONFIG: ['missing', 'a', 'b'].map((name) => join(folder, name)).join(':') };
    const config = await loadKubeconfig(undefined, env);
    expect(config.users.get('u')).toEqual({ token: 'a' });
    expect(config.currentContext).toBe('dev');
    expect([...config.clusters.keys()]).toEqual(['one', 'two']);
  });

  it('says where it looked', async () => {
    await expect(loadKubeconfig(undefined, { HOME: folder })).rejects.toThrow(join(folder, '.kube/config'));
    await expect(loadKubeconfig(join(folder, 'gone'))).rejects.toThrow(/cannot read kubeconfig/);
  });
});
