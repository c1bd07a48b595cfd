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
  user: {token: "0123", client-certificate: /abs/cert.pem, client-key: key.pem}
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

  it.each([
    ['insecure-skip-tls-verify: True', true],
    ['insecure-skip-tls-verify: yes', true],
    ['insecure-skip-tls-verify: off', undefined],
  ])('reads %s as the Go library does', (line, expected) => {
    const source = `clusters: [{name: c, cluster: {server: "https://c", ${line}}}]`;
    expect(parseKubeconfig(source, 'f').clusters.get('c')?.insecureSkipTlsVerify).toBe(expected);
  });

  it('takes aliases, for the CA that clusters share', () => {
    const ca = Buffer.from('PEM').toString('base64');
    const source = `clusters:\n- {name: a, cluster: {server: "https://a", certificate-authority-data: &ca ${ca}}}\n- {name: b, cluster: {server: "https://b", certificate-authority-data: *ca}}\n`;
    expect(parseKubeconfig(source, 'f').clusters.get('b')?.certificateAuthorityData).toBe('PEM');
  });

  it.each([
    ['users: [{name: u, user: {token: 0123}}]', 'users[0].user.token is a number: expected a text; quote it'],
    ['users: [{name: u, user: {token: yes}}]', 'users[0].user.token is true or false: expected a text'],
    [
      'clusters: [{name: c, cluster: {insecure-skip-tls-verify: "true"}}]',
      'insecure-skip-tls-verify is a text',
    ],
    ['users: {name: u}', 'users is an object: expected a list'],
    ['users: [{name: u}, {name: u}]', 'users has "u" twice'],
    [
      'clusters: [{name: c, cluster: {certificate-authority-data: "a b"}}]',
      'certificate-authority-data is not base64',
    ],
    ['kind: Pod', 'it is a Pod of v1, not a Config of v1'],
  ])('rejects %s, as client-go does', (source, message) => {
    expect(() => parseKubeconfig(source, 'f')).toThrow(message);
  });

  it.each(['http://p:3128', 'https://u:p@p', 'socks5://p:1080'])('takes %s as a proxy', (proxy) => {
    const source = EXAMPLE.replace('{server: https://two,', `{server: https://two, proxy-url: "${proxy}",`);
    const { options } = resolveContext(parseKubeconfig(source, 'f'), { context: 'other' });
    expect(options.proxyUrl).toBe(proxy);
  });

  it('rejects another proxy, and shows no password', () => {
    const source = EXAMPLE.replace(
      '{server: https://two,',
      '{server: https://two, proxy-url: "ftp://u:hunter2@p",',
    );
    const resolved = () => resolveContext(parseKubeconfig(source, 'f'), { context: 'other' });
    expect(resolved).toThrow('proxy-url "…@p": expected http://, https:// or socks5://host:port');
  });

  it('refuses groups without a user to impersonate', () => {
    const source = 'users: [{name: u, user: {as-groups: [a]}}]';
    expect(() => parseKubeconfig(source, 'f')).toThrow(/impersonates groups/);
  });

  it('refuses a file that is not YAML, with its name', () => {
    expect(() => parseKubeconfig('a: [', '/some/file')).toThrow(/\/some\/file is not a kubeconfig/);
  });
});

describe('the credentials of a user', () => {
  const optionsOf = (user: string) => {
    const source = `current-context: x\nclusters: [{name: c, cluster: {server: "https://c"}}]\nusers: [{name: u, user: ${user}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n`;
    return resolveContext(parseKubeconfig(source, '/none/config')).options;
  };
  const exec = 'exec: {apiVersion: client.authentication.k8s.io/v1, command: /none/plugin}';

  it.each([
    ['{auth-provider: {name: oidc}}', 'uses the auth-provider "oidc", which is not supported'],
    [`{auth-provider: {name: oidc}, ${exec}}`, 'has an auth-provider and an exec plugin'],
    ['{token: a, username: b, password: c}', 'has a token and a password'],
    ['{client-certificate: a}', 'has a client certificate without a key'],
    [
      '{client-certificate: a, client-certificate-data: YQ==, client-key: b}',
      'has client-certificate and client-certificate-data',
    ],
    ['{exec: {command: a}}', 'has an exec plugin without an apiVersion'],
    ['{exec: {apiVersion: a}}', 'has an exec plugin without a command'],
  ])('%s are an error', (user, message) => {
    expect(() => optionsOf(user)).toThrow(`user "u" of kubeconfig /none/config ${message}`);
  });

  it.each([
    ['a token', `{token: t, ${exec}}`, 'Bearer t'],
    ['a password', `{username: u, password: p, ${exec}}`, `Basic ${Buffer.from('u:p').toString('base64')}`],
    [
      'a token, which takes precedence over an auth-provider',
      '{token: t, auth-provider: {name: oidc}}',
      'Bearer t',
    ],
  ])('run no plugin beside %s', async (_title, user, header) => {
    const options = optionsOf(user);
    expect(await options.authorizer?.header()).toBe(header);
    expect(await options.tls?.()).toEqual({});
  });

  it('run no plugin beside a client certificate', async () => {
    const { authorizer, tls } = optionsOf(`{client-certificate-data: YQ==, client-key-data: Yg==, ${exec}}`);
    expect(authorizer).toBeUndefined();
    expect(await tls?.()).toEqual({ cert: 'a', key: 'b' });
  });

  it('are the token until its file can be read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'token-'));
    const file = join(folder, 'token');
    const { authorizer } = optionsOf(`{token: first, tokenFile: ${file}}`);
    expect(await authorizer?.header()).toBe('Bearer first');
    await writeFile(file, 'second');
    expect(await authorizer?.header()).toBe('Bearer second');
    await expect(optionsOf(`{tokenFile: ${file}-none}`).authorizer?.header()).rejects.toThrow(
      'cannot read the token file',
    );
    await rm(folder, { recursive: true });
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
