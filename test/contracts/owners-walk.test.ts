import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, runLine } from '../../packages/kubewright/src/cli/testing/run-line.ts';
import { findKubectl } from '../../tools/assets/find.mjs';
import { describeServers } from '../servers/describe-servers.ts';

const kubectlPath = findKubectl();

/** A user finds a removal that is rejected, has it explained, moves its ownership, and applies it with kubectl. */
function ownersWalk(server: () => { readonly kubeconfigPath: string }): void {
  const namespace = `walk-${randomUUID().slice(0, 8)}`;

  beforeAll(async () => {
    await kubectl(['create', 'namespace', namespace]);
  });
  afterAll(async () => {
    await kubectl(['delete', 'deployments', '--all', '-n', namespace, '--wait=false']);
    await kubectl(['delete', 'namespace', namespace, '--wait=false']);
  });

  /** Not synchronous: the embedded server is in this process. */
  function kubectl(args: readonly string[], input?: JsonObject): Promise<Ran> {
    const all = [...args, '--kubeconfig', server().kubeconfigPath];
    return new Promise((resolve) => {
      const child = execFile(kubectlPath ?? '', all, (error, out, err) =>
        resolve({ code: error === null ? 0 : 1, out, err }),
      );
      child.stdin?.end(input === undefined ? '' : JSON.stringify(input));
    });
  }

  /** Creates as a client-side tool does, then applies a newer image as `platform`. */
  async function prepare(name: string): Promise<void> {
    const setup = { name: 'setup', image: 'setup:1' };
    const older = deployment(name, { replicas: 2 }, [setup]);
    const created = await kubectl(['create', '-f', '-', '--field-manager=helm'], older);
    assert.equal(created.code, 0, created.err);
    const applied = await apply(deployment(name, {}, [{ ...setup, image: 'setup:2' }]));
    assert.equal(applied.code, 0, applied.err);
  }

  function apply(object: JsonObject): Promise<Ran> {
    const flags = ['--server-side', '--field-manager=platform', '--force-conflicts'];
    return kubectl(['apply', ...flags, '-f', '-'], object);
  }

  function deployment(name: string, more: JsonObject, initContainers?: readonly JsonObject[]): JsonObject {
    const labels = { app: name };
    const pod = { ...(initContainers && { initContainers }), containers: [{ name: 'web', image: 'web:1' }] };
    const template = { metadata: { labels }, spec: pod };
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: { ...more, selector: { matchLabels: labels }, template },
    };
  }

  function owners(...args: readonly string[]): Promise<Ran> {
    return runLine(['owners', ...args, '-n', namespace, '--kubeconfig', server().kubeconfigPath]);
  }

  async function liveOf(name: string): Promise<JsonObject> {
    const flags = ['-n', namespace, '-o', 'json', '--show-managed-fields'];
    const { out } = await kubectl(['get', 'deployment', name, ...flags]);
    const found: unknown = JSON.parse(out);
    assert(isObject(found));
    return found;
  }

  it('OWN-T12 OWN-T15 scan, plan, migrate, then kubectl apply of the removal', async () => {
    await prepare('web');
    const rejected = await apply(deployment('web', {}));
    expect(rejected.err).toContain('spec.template.spec.initContainers[0].image: Required value');

    const scan = await owners('scan', '-l', 'app!=rolled-back');
    expect(scan.out).toContain('platform (Apply) and helm (Update): 1 object');

    const removal = ['deployment/web', '--to', 'platform', '--remove', 'initContainers[0]'];
    const plan = await owners('plan', ...removal);
    expect(plan.out).toContain(
      'moves .spec.template.spec.initContainers[name="setup"] from helm (Update) to platform',
    );
    expect(plan.out).toContain('.spec.replicas (now 2)');

    const before = await liveOf('web');
    const unconfirmed = await owners('migrate', ...removal);
    expect(unconfirmed.code).toBe(1);
    expect(unconfirmed.err).toBe(
      'kubewright: nothing was written; add --yes to write this, or --dry-run=server to try it\n',
    );
    expect((await owners('migrate', ...removal, '--dry-run', 'client')).code).toBe(0);
    const tried = await owners('migrate', ...removal, '--dry-run=server');
    expect(tried.out).toContain('server dry run: nothing was written');
    expect(entriesOf(await liveOf('web'))).toEqual(entriesOf(before));

    const migrated = await owners('migrate', ...removal, '--yes');
    expect(migrated).toMatchObject({ code: 0, err: '' });
    expect(migrated.out).toContain(
      'a dry run without spec.template.spec.initContainers[name="setup"]: it is removed',
    );
    expect((await liveOf('web'))['spec']).toEqual(before['spec']);
    expect((await owners('migrate', ...removal, '--yes')).out).toContain('nothing to move');

    expect(await apply(deployment('web', {}))).toMatchObject({ code: 0 });
    const { spec } = await liveOf('web');
    assert(isJsonObject(spec) && isJsonObject(spec['template']) && isJsonObject(spec['template']['spec']));
    expect(spec['replicas']).toBe(2);
    expect(spec['template']['spec']).not.toHaveProperty('initContainers');
  });

  it('releases a field, which then stays when its manifest leaves it out', async () => {
    const labels = { app: 'scaled' };
    const wanted = deployment('scaled', { replicas: 3 });
    expect(await apply(wanted)).toMatchObject({ code: 0 });
    const target = ['deploy/scaled', '--fields', 'spec.replicas', '--to', 'autoscaler'];

    const unconfirmed = await owners('release', ...target);
    expect(unconfirmed.code).toBe(1);
    expect(unconfirmed.out).toContain('moves .spec.replicas from platform (Apply) to autoscaler');
    expect((await owners('release', ...target, '--dry-run=server')).out).toContain('nothing was written');
    const released = await owners('release', ...target, '--yes');
    expect(released).toMatchObject({ code: 0, err: '' });
    expect(released.out).toContain('a dry run without spec.replicas: it stays');

    expect(await apply(deployment('scaled', {}))).toMatchObject({ code: 0 });
    expect((await liveOf('scaled'))['spec']).toMatchObject({
      replicas: 3,
      selector: { matchLabels: labels },
    });
    const again = await owners('release', ...target, '--yes');
    expect(again.err).toContain('platform does not apply spec.replicas');
    expect((await owners('release', 'deploy/scaled', '--to', 'autoscaler')).err).toContain(
      '--fields is missing',
    );
    expect((await owners('release', 'deploy/scaled', '--fields', 'spec.replicas')).err).toContain(
      '--to is missing',
    );
  });

  it('explains and plans from a file, without the cluster', async () => {
    await prepare('on-paper');
    const flags = ['-n', namespace, '-o', 'yaml', '--show-managed-fields'];
    const { out: yaml } = await kubectl(['get', 'deployment', 'on-paper', ...flags]);
    const folder = mkdtempSync(join(tmpdir(), 'kubewright-owners-'));
    const file = join(folder, 'on-paper.yaml');
    writeFileSync(file, `${yaml}\n---\n`);
    try {
      const live = await owners('deployment/on-paper');
      const offline = (...args: readonly string[]) => runLine(['owners', ...args, '-f', file]);
      expect(await offline()).toEqual(live);
      expect((await offline('deployments/on-paper', 'initContainers[0]')).out).toContain(
        'because .spec.template.spec.initContainers[name="setup"] is also owned by helm (Update)',
      );
      const plan = ['deployment/on-paper', '--to', 'platform', '--remove', 'initContainers[0]'];
      expect((await offline('plan', ...plan)).out).toContain('kubectl patch deployment on-paper');
      const [paper, cluster] = await Promise.all(
        [offline, owners].map(
          async (run) => JSON.parse((await run('plan', ...plan, '-o', 'json')).out) as JsonObject,
        ),
      );
      expect({ ...paper, adopting: '' }).toEqual({ ...cluster, adopting: '' });
      expect((await offline('deployment/other')).err).toContain('has no deployment/other');
      writeFileSync(file, JSON.stringify(deployment('bare', {})));
      expect((await offline()).err).toContain('kubectl get KIND NAME -o yaml --show-managed-fields');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('OWN-T49 a migration can be undone, as long as nothing else changes the object', async () => {
    await prepare('rolled-back');
    const before = await liveOf('rolled-back');
    const migrated = await owners('migrate', 'deploy/rolled-back', '--to', 'platform', '--yes', '-o', 'json');
    const found: unknown = JSON.parse(migrated.out);
    assert(isObject(found));
    expect(found).toMatchObject({ result: 'Move', written: true });
    const scan = await owners('scan', '-l', 'app=rolled-back');
    expect(scan.out).toMatch(/^0 of /m);

    const undo = ['patch', 'deployment', 'rolled-back', '-n', namespace, '--type=json'];
    const patch = ['-p', JSON.stringify(found['rollback'])];
    expect(await kubectl([...undo, ...patch])).toMatchObject({ code: 0 });
    expect(entriesOf(await liveOf('rolled-back'))).toEqual(entriesOf(before));
    expect((await kubectl([...undo, ...patch])).err).toContain('the object has been modified');
  });
}

/** The entries in an order of their own: the server sorts them by time. */
function entriesOf({ metadata }: JsonObject): readonly Json[] {
  const entries = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  assert(isJsonArray(entries));
  return entries.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

if (kubectlPath === undefined) {
  describe.skip('the walk of an owner [needs kubectl on the PATH]', () => undefined);
} else {
  describeServers('the walk of a user who removes a shared field', ownersWalk);
}
