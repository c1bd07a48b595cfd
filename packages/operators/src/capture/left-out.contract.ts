import { join } from 'node:path';
import { createClient, type ResourceRef } from '@kubewright/client';
import { corev1, type KubeObject, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, describe, expect, test } from 'vitest';
import { useFolder } from '../../../../test/support/use-folder.ts';
import { useOperator } from '../kit/testing/use-operator.ts';
import { OBJECT_KEEPERS } from './api/object-keeper.ts';
import { captureParts } from './controller.ts';
import { admissionChecks } from './testing/admission-checks.ts';
import { runCommand } from './testing/run-command.ts';

const CAPTURABLE = {
  apiGroups: ['', 'discovery.k8s.io'],
  resources: ['configmaps', 'secrets', 'services', 'serviceaccounts', 'endpoints', 'endpointslices'],
};
const SLICES: ResourceRef = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  resource: 'endpointslices',
  namespaced: true,
};

/** Captures of a namespace as people have it, beside what its controllers make. */
export function leftOutContract(transport: () => Transport): void {
  describe('what a capture of a namespace takes', () => {
    const folder = useFolder();
    const capture = useOperator(transport, captureParts, { anyKind: CAPTURABLE });
    const { namespace } = capture;
    const admin = () => createClient(transport());
    const account = { namespace, name: 'default' };
    let checkpoint = '';
    const run = (line: string, options: Readonly<Record<string, string>> = {}): Promise<string> =>
      runCommand(capture, transport(), line.split(' '), options);

    beforeAll(async () => {
      await admissionChecks(capture);
      await waitForObject(admin(), corev1.serviceaccounts, account, (live) => live !== undefined);
      const body = {
        metadata: { annotations: { 'example.com/role': 'shop' } },
        imagePullSecrets: [{ name: 'registry' }],
        automountServiceAccountToken: false,
      };
      await admin().patch(corev1.serviceaccounts, account, { type: 'merge', body });
      const ofKind = (kind: string, name: string, fields: object): KubeObject => {
        const object = { apiVersion: 'v1', kind, metadata: { namespace, name }, ...fields };
        return JSON.parse(JSON.stringify(object)) as KubeObject;
      };
      const ports = [{ port: 5432, protocol: 'TCP' }];
      await admin().create<KubeObject>(corev1.services, ofKind('Service', 'db', { spec: { ports } }));
      const subsets = [{ addresses: [{ ip: '192.0.2.7' }], ports }];
      await admin().create<KubeObject>(corev1.endpoints, ofKind('Endpoints', 'db', { subsets }));
      await admin().create<KubeObject>(SLICES, {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { namespace, name: 'db-1', labels: { 'kubernetes.io/service-name': 'db' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['192.0.2.7'] }],
        ports,
      });
      const web = ofKind('Service', 'web', { spec: { ports, selector: { app: 'web' } } });
      const { uid } = await admin()
        .create<KubeObject>(corev1.services, web)
        .then(({ metadata }) => metadata);
      const owner = { apiVersion: 'v1', kind: 'Service', name: 'web', uid, controller: true };
      const owned = ofKind('ConfigMap', 'made', {});
      await admin().create<KubeObject>(corev1.configmaps, {
        ...owned,
        metadata: { namespace, name: 'made', ownerReferences: [owner] },
      });
      await admin().create<KubeObject>(corev1.configmaps, ofKind('ConfigMap', 'mine', {}));
      // Its controller has seen the Service, and made what a capture leaves out.
      await waitForObject(
        admin(),
        corev1.endpoints,
        { namespace, name: 'web' },
        (live) => live !== undefined,
      );
      const printed = await run(`namespace ${namespace}`);
      expect(printed).toContain('Events, Leases, snapshots and requests of captures are not captured');
      checkpoint = /capture show (\S+)/.exec(printed)?.[1] ?? expect.fail(printed);
    });

    test('CAP-172 changes of the account default come back, also where its controller was first', async () => {
      const to = `${namespace}-account`;
      await run(`restore ${checkpoint}`, { to, yes: 'true' });
      const live = await admin().get(corev1.serviceaccounts, { namespace: to, name: 'default' });
      expect(live).toMatchObject({
        metadata: { annotations: { 'example.com/role': 'shop' } },
        imagePullSecrets: [{ name: 'registry' }],
        automountServiceAccountToken: false,
      });
      expect(await run(`restore ${checkpoint}`, { to, dryRun: 'server' })).toMatch(
        /unchanged +ServiceAccount\/default/,
      );
      // Somebody else has changed it: it is theirs.
      const body = { imagePullSecrets: [{ name: 'other' }] };
      await admin().patch(
        corev1.serviceaccounts,
        { namespace: to, name: 'default' },
        { type: 'merge', body },
      );
      await expect(run(`restore ${checkpoint}`, { to })).rejects.toThrow('are in conflict');
    });

    test('CAP-172 addresses that no controller writes come back with their Service', async () => {
      const to = `${namespace}-addresses`;
      await run(`restore ${checkpoint}`, { to, yes: 'true' });
      const endpoints = await admin().get<KubeObject>(corev1.endpoints, { namespace: to, name: 'db' });
      expect(endpoints).toMatchObject({ subsets: [{ addresses: [{ ip: '192.0.2.7' }] }] });
      const slice = await admin().get(SLICES, { namespace: to, name: 'db-1' });
      expect(slice).toMatchObject({ endpoints: [{ addresses: ['192.0.2.7'] }] });
    });

    test('CAP-180 a capture says how long it is kept: as long as its request, for some time, or until it is deleted', async () => {
      const keeperOf = async (printed: string) => {
        const [, name = ''] = /ObjectKeeper (\S+) keeps/.exec(printed) ?? expect.fail(printed);
        return (await admin().get(OBJECT_KEEPERS, { name })).spec;
      };
      const plain = await run(`namespace ${namespace}`);
      expect(plain).toMatch(/It goes with its request.*kubewright capture keep nss-mcp-/);
      const days = await run(`namespace ${namespace}`, { for: '30d' });
      expect(days).toMatch(/keeps ManifestCheckpoint nss-mcp-\S+ for 720h/);
      expect(await keeperOf(days)).toEqual({ mode: 'TTL', ttl: '720h' });
      const kept = await run(`namespace ${namespace}`, { keep: 'true' });
      expect(kept).toMatch(/keeps ManifestCheckpoint nss-mcp-\S+ until you delete that/);
      expect(await keeperOf(kept)).toEqual({ mode: 'TTL', ttl: '876000h' });
      const both = run(`namespace ${namespace}`, { for: '30d', keep: 'true' });
      await expect(both).rejects.toThrow('choose one');
      await expect(run(`namespace ${namespace}`, { for: 'a week' })).rejects.toThrow('write it like 30d');
    });

    test('CAP-173 what is left out is listed with the reason by show and by the plan, of checkpoints, exports and imports', async () => {
      const archive = join(folder, 'shop.tar.gz');
      await run(`export ${checkpoint} ${archive}`);
      await run(`export ${checkpoint} ${join(folder, 'shop')}`);
      const imported = /ManifestCheckpoint (\S+)/.exec(await run(`import ${archive}`, { for: '1h' }))?.[1];
      for (const source of [checkpoint, archive, join(folder, 'shop'), imported ?? '']) {
        const shown = await run(`show ${source}`);
        expect(shown).toMatch(/NOT CAPTURED +REASON/);
        expect(shown).toMatch(/ConfigMap\/made +Service makes it again/);
        expect(shown).toMatch(/Endpoints\/web +a controller writes it/);
        expect(shown).toContain('ConfigMap/mine\n');
        const plan = await run(`restore ${source}`, { to: `${namespace}-planned`, dryRun: 'server' });
        expect(plan).toMatch(/not captured +ConfigMap\/made +Service makes it again/);
      }
    });
  });
}
