import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@kubewright/client';
import { autoscalingv2, corev1, type JsonObject, type KubeObject, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, runLine } from '../../../packages/kubewright/src/cli/testing/run-line.ts';
import { type Clients, clientsIn } from '../../../packages/operators/src/ownership/testing/clients.ts';
import { valueAt } from '../../../packages/operators/src/kit/testing/value-at.ts';
import {
  configMap,
  container,
  deployment,
  fieldsOf,
  names,
} from '../../../packages/operators/src/ownership/testing/objects.ts';
import type { TestServer } from '../../servers/test-server.ts';
import { type Helm, helmCaller, type HelmPrograms, writeChart } from '../../support/helm.ts';

const CREATOR = 'kubectl-create';
const INIT = 'spec.template.spec.initContainers';
const SERVER_SIDE = '--server-side=true';

/** Releases whose drops somebody's claims keep, with both major versions of Helm, on any server. */
export function helmContract(programs: HelmPrograms, server: () => TestServer): void {
  describe('a release of Helm 3 and 4', () => {
    const namespace = `helm-${randomUUID().slice(0, 8)}`;
    const folder = mkdtempSync(join(tmpdir(), 'kubewright-helm-'));
    let transport: Transport;
    let client: Client;
    const clients: Clients = clientsIn(namespace, () => client);

    beforeAll(async () => {
      transport = server().transport();
      client = createClient(transport);
      const metadata = { name: namespace };
      await client.create<KubeObject>(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
    });
    afterAll(async () => {
      await client.delete(corev1.namespaces, { name: namespace });
      await transport.close();
      rmSync(folder, { recursive: true, force: true });
    });

    /** `helm install|upgrade NAME` of a chart with these manifests. */
    async function helm(
      major: 3 | 4,
      verb: 'install' | 'upgrade' | 'rollback',
      name: string,
      manifests: readonly KubeObject[],
      ...flags: readonly string[]
    ): Promise<Awaited<ReturnType<Helm>>> {
      const call = helmCaller(major === 3 ? programs.helm3 : programs.helm4, server().kubeconfigPath, folder);
      const chart = verb === 'rollback' ? [] : [writeChart(join(folder, name), '1.0.0', manifests)];
      return call(verb, name, ...chart, '-n', namespace, ...flags);
    }

    /** The same, and it has to succeed. */
    async function helmOk(...call: Parameters<typeof helm>): Promise<void> {
      const { code, out } = await helm(...call);
      assert.equal(code, 0, out);
    }

    function owners(verb: string, name: string, ...more: readonly string[]): Promise<Ran> {
      const line = ['owners', verb, '--release', name, '-n', namespace, ...more];
      return runLine([...line, '--kubeconfig', server().kubeconfigPath]);
    }

    /** Migrates, and expects that no value changes. */
    async function migrate(name: string, objects: readonly KubeObject[]): Promise<string> {
      const before = await Promise.all(objects.map(async (object) => content(await clients.get(object))));
      const { code, out, err } = await owners('migrate', name, '--yes');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(await Promise.all(objects.map(async (object) => content(await clients.get(object))))).toEqual(
        before,
      );
      return out;
    }

    async function leftOf(
      name: string,
    ): Promise<{ readonly init: readonly unknown[]; readonly data: unknown }> {
      const [live, settings] = [await clients.get(deployment(name)), await clients.get(configMap(name))];
      return { init: names(live, INIT), data: valueAt(settings, 'data') };
    }

    /** A Deployment with an init container and a ConfigMap with a key, and the same without these. */
    function shop(name: string): {
      readonly first: readonly KubeObject[];
      readonly next: readonly KubeObject[];
    } {
      const first = [
        configMap(name, { keep: '1', old: '1' }),
        deployment(name, { init: [container('setup', 'i:1', { command: ['sh'] })] }),
      ];
      return { first, next: [configMap(name, { keep: '1' }), deployment(name)] };
    }

    const GONE = { init: [], data: { keep: '1' } };
    const KEPT = { init: ['setup'], data: { keep: '1', old: '1' } };

    it.each([
      ['', []],
      [' with --force-conflicts', ['--force-conflicts']],
    ] as const)(
      'OWN-T80 what a chart drops of objects taken over with --take-ownership stays in Helm 4%s, and goes after owners migrate',
      async (_title, flags) => {
        const name = `taken${flags.length}`;
        const { first, next } = shop(name);
        for (const object of first) await clients.create(object, CREATOR);
        await helmOk(4, 'install', name, first, '--take-ownership', ...flags);
        await helmOk(4, 'upgrade', name, next, ...flags);
        expect(await leftOf(name)).toEqual(KEPT);
        await helmOk(4, 'upgrade', name, next, ...flags);
        expect(await leftOf(name)).toEqual(KEPT);

        expect((await owners('scan', name)).out).toContain('helm has dropped what others keep');
        expect((await owners('plan', name)).out).toContain('2 claims to move on 2 of 2 objects');
        expect(await migrate(name, next)).toContain('2 objects written');
        await helmOk(4, 'upgrade', name, next, ...flags);
        expect(await leftOf(name)).toEqual(GONE);
        expect(fieldsOf(await clients.get(deployment(name)), CREATOR)).toBeDefined();
        expect((await owners('plan', name)).out).toContain('nothing to move');
      },
    );

    it('OWN-T81 a release of Helm 3 that took objects over keeps what it drops as it goes server-side, until it is migrated', async () => {
      const { first, next } = shop('three');
      for (const object of first) await clients.create(object, CREATOR);
      await helmOk(3, 'install', 'three', first, '--take-ownership');
      await helmOk(4, 'upgrade', 'three', next, SERVER_SIDE);
      expect(await leftOf('three')).toEqual(KEPT);
      await migrate('three', next);
      await helmOk(4, 'upgrade', 'three', next);
      expect(await leftOf('three')).toEqual(GONE);
    });

    it('OWN-T81 what Helm 3 created itself needs no migration: Helm 4 takes its own entry over', async () => {
      const { first, next } = shop('own');
      await helmOk(3, 'install', 'own', first);
      await helmOk(4, 'upgrade', 'own', next, SERVER_SIDE);
      expect(await leftOf('own')).toEqual(GONE);
      expect((await owners('plan', 'own')).out).toContain('nothing to move');
    });

    it('OWN-T82 a release of Helm 3 whose switch to server-side apply failed once removes what it drops in the next upgrade', async () => {
      const { first, next } = shop('failed');
      await helmOk(3, 'install', 'failed', first);
      await scaleByHand('failed');
      await failToSwitch('failed', next);
      expect(await leftOf('failed')).toEqual({ init: ['setup'], data: { keep: '1' } });
      expect((await owners('plan', 'failed')).out).toContain('revision 2 (failed, server-side)');
      expect((await owners('plan', 'failed')).out).toContain('nothing to move');
      await helmOk(4, 'upgrade', 'failed', next);
      expect(await leftOf('failed')).toEqual(GONE);
    });

    it('OWN-T82 after a failed switch of objects that were taken over, one migration is enough', async () => {
      const { first, next } = shop('both');
      for (const object of first) await clients.create(object, CREATOR);
      await helmOk(3, 'install', 'both', first, '--take-ownership');
      await scaleByHand('both');
      await failToSwitch('both', next);
      expect(await leftOf('both')).toEqual(KEPT);
      expect(await migrate('both', next)).toContain('2 objects written');
      await helmOk(4, 'upgrade', 'both', next);
      expect(await leftOf('both')).toEqual(GONE);
      expect(valueAt(await clients.get(deployment('both')), 'spec.replicas')).toBe(3);
    });

    it('OWN-T83 a release that was rolled back to a revision of Helm 3 keeps what it drops as it goes server-side again, until it is migrated', async () => {
      const { first, next } = shop('back');
      for (const object of first) await clients.create(object, CREATOR);
      await helmOk(3, 'install', 'back', first, '--take-ownership');
      await helmOk(4, 'upgrade', 'back', next, SERVER_SIDE);
      await helmOk(4, 'rollback', 'back', []);
      expect(await leftOf('back')).toEqual(KEPT);
      const rolledBack = (await owners('plan', 'back')).out;
      expect(rolledBack).toContain('revision 3 (deployed, client-side)');
      expect(rolledBack).toContain('nothing to move');

      await helmOk(4, 'upgrade', 'back', next, SERVER_SIDE);
      expect(await leftOf('back')).toEqual(KEPT);
      expect(await migrate('back', next)).toContain('2 objects written');
      await helmOk(4, 'upgrade', 'back', next);
      expect(await leftOf('back')).toEqual(GONE);
    });

    it('OWN-T84 replicas that a chart leaves to an autoscaler keep their value', async () => {
      const name = 'scaled';
      const first = [deployment(name, { init: [container('setup', 'i:1')] }, { replicas: 2 })];
      const next = [deployment(name)];
      for (const object of first) await clients.create(object, CREATOR);
      await helmOk(4, 'install', name, first, '--take-ownership');
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
      const spec = { scaleTargetRef, minReplicas: 2, maxReplicas: 5 };
      const metadata = { name, namespace };
      const kind = 'HorizontalPodAutoscaler';
      const autoscaler: KubeObject & JsonObject = { apiVersion: 'autoscaling/v2', kind, metadata, spec };
      await client.create<KubeObject>(autoscalingv2.horizontalpodautoscalers, autoscaler);
      await helmOk(4, 'upgrade', name, next);
      expect(await migrate(name, next)).toContain('stays: .spec.replicas');
      await helmOk(4, 'upgrade', name, next);
      const live = await clients.get(deployment(name));
      expect({ init: names(live, INIT), replicas: valueAt(live, 'spec.replicas') }).toEqual({
        init: [],
        replicas: 2,
      });
    });

    /** Somebody sets the replicas to 3. */
    async function scaleByHand(name: string): Promise<void> {
      await clients.patch(deployment(name), { spec: { replicas: 3 } }, 'kubectl', { type: 'merge' });
    }

    /** The chart has other replicas than somebody set: Helm 4 is rejected after it has changed the ConfigMap. */
    async function failToSwitch(name: string, [settings]: readonly KubeObject[]): Promise<void> {
      assert(settings !== undefined);
      const broken = [settings, deployment(name, {}, { replicas: 2 })];
      const { code, out } = await helm(4, 'upgrade', name, broken, SERVER_SIDE);
      expect(code).toBe(1);
      expect(out).toContain('Apply failed with 1 conflict: conflict with "kubectl"');
    }
  });
}

/** All but what a move of ownership changes. */
function content({ metadata, ...rest }: KubeObject): unknown {
  const { managedFields: _entries, resourceVersion: _version, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
