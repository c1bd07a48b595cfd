import { inspect } from 'node:util';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '@kubewright/kube';
import { execCredentials } from './exec-credentials.ts';
import { type FindContextOptions, findContext } from './find-context.ts';
import { inClusterContext } from './in-cluster-context.ts';
import type { ExecConfig } from './kubeconfig.ts';
import { tokenFile } from './token-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a token file', () => {
  it('is read again after a minute, and at once after a 401', async () => {
    const path = join(folder, 'token');
    const clock = createManualClock();
    await writeFile(path, 'one\n');
    const authorizer = tokenFile(path, clock);
    expect(await authorizer.header()).toBe('Bearer one');
    await writeFile(path, 'two');
    expect(authorizer.header()).toBe('Bearer one');
    await clock.advance(60_000);
    expect(await authorizer.header()).toBe('Bearer two');
    await writeFile(path, 'three');
    authorizer.reset();
    expect(await authorizer.header()).toBe('Bearer three');
  });

  it('keeps the last token in use while the file cannot be read, but needs one to begin with', async () => {
    const path = join(folder, 'token');
    const clock = createManualClock();
    const authorizer = tokenFile(path, clock);
    await expect(authorizer.header()).rejects.toMatchObject({ reason: 'InvalidConfig' });
    await writeFile(path, 'one');
    expect(await authorizer.header()).toBe('Bearer one');
    await writeFile(path, '');
    await clock.advance(60_000);
    expect(await authorizer.header()).toBe('Bearer one');
  });
});

describe('an exec plugin', () => {
  const cluster = { server: 'https://c', certificateAuthorityData: 'PEM' };
  async function plugin(script: string, more: Partial<ExecConfig> = {}): Promise<ExecConfig> {
    // Whatever a package.json above the folder says of modules.
    const command = join(folder, 'plugin.cjs');
    await writeFile(command, `#!${process.execPath}\n${script}`);
    await chmod(command, 0o755);
    return {
      apiVersion: 'client.authentication.k8s.io/v1',
      command,
      args: [],
      env: {},
      provideClusterInfo: false,
      interactiveMode: 'Never',
      ...more,
    };
  }
  const print = (status: object): string =>
    `console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: ${JSON.stringify(status)} }));`;

  it('is run once for many calls, and again when its credential has expired or was refused', async () => {
    const clock = createManualClock(Date.UTC(2026, 0, 1));
    const runs = join(folder, 'runs');
    const count = `require('fs').appendFileSync(${JSON.stringify(runs)}, 'x');`;
    const config = await plugin(count + print({ token: 't', expirationTimestamp: '2026-01-01T00:10:00Z' }));
    const credentials = execCredentials(config, cluster, clock);
    const both = await Promise.all([credentials.header(), credentials.header()]);
    expect(both).toEqual(['Bearer t', 'Bearer t']);
    expect(credentials.header()).toBe('Bearer t');
    expect(await readFile(runs, 'utf8')).toBe('x');
    await clock.advance(10 * 60_000);
    await credentials.header();
    credentials.reset();
    await credentials.header();
    expect(await readFile(runs, 'utf8')).toBe('xxx');
  });

  it('is told about the cluster, gets its arguments without a shell, and may give a certificate', async () => {
    const config = await plugin(
      `console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', status: {
        clientCertificateData: process.env.KUBERNETES_EXEC_INFO, clientKeyData: process.argv[2] + process.env.EXTRA } }));`,
      { args: ['$(id) "; rm'], env: { EXTRA: '!' }, provideClusterInfo: true },
    );
    const { cert, key } = await execCredentials(config, cluster, createManualClock()).tls();
    expect(key).toBe('$(id) "; rm!');
    expect(JSON.parse(String(cert))).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: {
        interactive: false,
        cluster: { server: 'https://c', 'certificate-authority-data': Buffer.from('PEM').toString('base64') },
      },
    });
  });

  it.each([
    ['prints no JSON', 'console.log("hello")', /printed no ExecCredential/],
    ['prints no token', print({}), /neither a token nor a certificate/],
    ['prints half a certificate', print({ clientCertificateData: 'c' }), /half of a certificate/],
    ['fails', 'console.error("no session"); process.exit(3)', /failed: no session/],
  ])('that %s is named as the culprit', async (_title, script, message) => {
    const credentials = execCredentials(await plugin(script), cluster, createManualClock());
    await expect(credentials.header()).rejects.toThrow(message);
  });

  it('that fails without a word shows its exit code, and not its arguments', async () => {
    const config = await plugin('process.exit(3)', { args: ['--password=hunter2'] });
    const error: unknown = await Promise.resolve(
      execCredentials(config, cluster, createManualClock()).header(),
    ).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('plugin.cjs failed: exit code 3');
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
  });

  it('that is not installed: the hint of the kubeconfig is shown', async () => {
    const config = await plugin('', { command: join(folder, 'missing'), installHint: 'install me' });
    await expect(execCredentials(config, cluster, createManualClock()).header()).rejects.toThrow(
      /install me/,
    );
  });

  it('that wants a terminal or another version is refused', async () => {
    const wants = await plugin('', { interactiveMode: 'Always' });
    await expect(execCredentials(wants, cluster, createManualClock()).header()).rejects.toThrow(/terminal/);
    const old = await plugin('', { apiVersion: 'client.authentication.k8s.io/v1alpha1' });
    await expect(execCredentials(old, cluster, createManualClock()).header()).rejects.toThrow(
      /unknown apiVersion/,
    );
  });
});

describe('in a pod', () => {
  it('the service account says where, who, and in which namespace', async () => {
    await Promise.all([
      writeFile(join(folder, 'token'), 'secret'),
      writeFile(join(folder, 'ca.crt'), 'CA'),
      writeFile(join(folder, 'namespace'), 'team\n'),
    ]);
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const { namespace, options } = await inClusterContext({ env, folder });
    expect(namespace).toBe('team');
    expect(options.url).toBe('https://[fd00::1]:443');
    expect(await options.authorizer?.header()).toBe('Bearer secret');
    expect(String((await options.tls?.())?.ca)).toBe('CA');
  });

  it('is found after what was named, and before the kubeconfig of the home folder', async () => {
    const kubeconfig = (server: string) => `
current-context: x
clusters: [{name: c, cluster: {server: "${server}"}}]
contexts: [{name: x, context: {cluster: c}}]
`;
    await mkdir(join(folder, '.kube'));
    await writeFile(join(folder, '.kube', 'config'), kubeconfig('https://home'));
    await writeFile(join(folder, 'named'), kubeconfig('https://named'));
    await writeFile(join(folder, 'env'), kubeconfig('https://env'));
    const pod = { HOME: folder, KUBERNETES_SERVICE_HOST: 'pod', KUBERNETES_SERVICE_PORT: '443' };
    const list = { ...pod, KUBECONFIG: join(folder, 'env') };
    const urlOf = async (options: FindContextOptions) =>
      (await findContext({ folder, ...options })).options.url;
    expect(await urlOf({ env: list, kubeconfig: join(folder, 'named') })).toBe('https://named');
    expect(await urlOf({ env: list })).toBe('https://env');
    expect(await urlOf({ env: list, kubeconfig: '' })).toBe('https://env');
    expect(await urlOf({ env: pod })).toBe('https://pod:443');
    expect(await urlOf({ env: { HOME: folder } })).toBe('https://home');
  });

  it('and outside of one it says so', async () => {
    await expect(inClusterContext({ env: {}, folder })).rejects.toMatchObject({ reason: 'InvalidConfig' });
  });
});
