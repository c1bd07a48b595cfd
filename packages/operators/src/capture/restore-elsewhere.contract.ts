import { createClient } from '@kubewright/client';
import { batchv1, corev1, type KubeObject, storagev1, type Transport } from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import { useFolder } from '../../../../test/support/use-folder.ts';
import { exportOf } from './testing/export-of.ts';
import { runCommand } from './testing/run-command.ts';

const NAMESPACE = 'moved-shop';
const CONTAINERS = [{ name: 'main', image: 'example.com/app:1' }];

function objectOf(apiVersion: string, kind: string, name: string, fields: object = {}): KubeObject {
  const object = { apiVersion, kind, metadata: { namespace: NAMESPACE, name }, ...fields };
  return JSON.parse(JSON.stringify(object)) as KubeObject;
}

/** Restores of objects that would do something else in another place, or once more. */
export function restoreElsewhereContract(transport: () => Transport): void {
  describe('restoring in another place', () => {
    const folder = useFolder();
    const storageClass = `fast-${process.pid}`;
    let count = 0;
    const admin = () => createClient(transport());
    const inNamespace = async (): Promise<string> => {
      const name = `moved-${process.pid}-${count++}`;
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      await admin().create<KubeObject>(corev1.namespaces, namespace);
      return name;
    };
    const restore = async (
      objects: readonly KubeObject[],
      to: string,
      options: Readonly<Record<string, string>> = {},
    ): Promise<string> => {
      const at = await exportOf(folder, `export-${count++}`, objects);
      const place = { admin: admin(), namespace: NAMESPACE };
      return runCommand(place, transport(), ['restore', at], { to, yes: 'true', ...options });
    };

    beforeAll(async () => {
      await admin().create<KubeObject>(storagev1.storageclasses, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: storageClass },
        provisioner: 'example.com/disks',
      });
    });

    test('CAP-183 a Service keeps the address family that its author chose, and one that its cluster gave it changes with a word', async () => {
      const to = await inNamespace();
      const spec = { ports: [{ port: 80 }], clusterIP: '10.96.0.99' };
      await admin().create<KubeObject>(corev1.services, {
        ...objectOf('v1', 'Service', 'chosen', {
          spec: { ports: [{ port: 80 }], ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] },
        }),
        metadata: { namespace: to, name: 'chosen' },
      });
      await admin().create<KubeObject>(corev1.services, {
        ...objectOf('v1', 'Service', 'given', { spec: { ports: [{ port: 80 }] } }),
        metadata: { namespace: to, name: 'given' },
      });
      const asCaptured = async (name: string): Promise<KubeObject> => {
        const live: KubeObject = await admin().get<KubeObject>(corev1.services, { namespace: to, name });
        const moved = { ...live, metadata: { ...live.metadata, namespace: NAMESPACE } };
        return JSON.parse(JSON.stringify(moved).replaceAll('IPv4', 'IPv6')) as KubeObject;
      };
      const objects = [await asCaptured('chosen'), await asCaptured('given')];
      const plan = await restore(objects, await inNamespace(), { existing: 'skip', dryRun: 'true' });
      // This cluster has no IPv6: the server says so of the one that has to have it.
      expect(plan).toMatch(/rejected +Service\/chosen +.*IPv6/);
      expect(plan).toMatch(/create +Service\/given +its address family was IPv6, that of its cluster/);
      const plain = objectOf('v1', 'Service', 'plain', { spec: { ...spec, ipFamilies: ['IPv4'] } });
      expect(await restore([plain], await inNamespace())).toMatch(/create +Service\/plain\n/);
    });

    test('CAP-184 what has finished is left out and does not run again, and what has not is restored', async () => {
      const to = await inNamespace();
      const template = { spec: { containers: CONTAINERS, restartPolicy: 'Never' } };
      const ended = (type: string) => ({ status: { conditions: [{ type, status: 'True' }] } });
      const pod = {
        spec: { containers: CONTAINERS, restartPolicy: 'Never', automountServiceAccountToken: false },
      };
      const objects = [
        objectOf('batch/v1', 'Job', 'done', { spec: { template }, ...ended('Complete') }),
        objectOf('batch/v1', 'Job', 'failed', { spec: { template }, ...ended('Failed') }),
        objectOf('batch/v1', 'Job', 'waits', { spec: { template, suspend: true }, ...ended('Suspended') }),
        objectOf('v1', 'Pod', 'over', { ...pod, status: { phase: 'Succeeded' } }),
        objectOf('argoproj.io/v1alpha1', 'Workflow', 'run', { status: { phase: 'Error' } }),
        objectOf('tekton.dev/v1', 'PipelineRun', 'build', {
          status: { conditions: [{ type: 'Succeeded', status: 'False' }] },
        }),
        objectOf('v1', 'ServiceAccount', 'robot'),
      ];
      const printed = await restore(objects, to);
      for (const title of ['Job/done', 'Job/failed', 'Pod/over', 'Workflow/run', 'PipelineRun/build'])
        expect(printed).toMatch(
          new RegExp(`left out +${title} +it has finished: restored, it would run again`),
        );
      expect(printed).toContain('2 objects were created');
      const jobs = (await admin().list(batchv1.jobs, { namespace: to })).items;
      expect(jobs.map(({ metadata: { name } }) => name)).toEqual(['waits']);
      expect((await admin().list(corev1.pods, { namespace: to })).items).toEqual([]);
    });

    test('CAP-185 classes of storage are mapped in claims and their templates, and the plan names one that is not there', async () => {
      const to = await inNamespace();
      const claim = {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'gp2',
        resources: { requests: { storage: '1Gi' } },
      };
      const objects = [
        objectOf('v1', 'PersistentVolumeClaim', 'data', { spec: claim }),
        objectOf('v1', 'ConfigMap', 'notes', { data: { storageClassName: 'gp2' } }),
        objectOf('apps/v1', 'StatefulSet', 'db', {
          spec: {
            replicas: 0,
            serviceName: 'db',
            selector: { matchLabels: { app: 'db' } },
            template: { metadata: { labels: { app: 'db' } }, spec: { containers: CONTAINERS } },
            volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
          },
        }),
      ];
      const plan = await restore(objects, to, { dryRun: 'true' });
      expect(plan).toMatch(
        /PersistentVolumeClaim\/data .*there is no StorageClass gp2: --storage-class gp2=OTHER/,
      );
      const mapping = { storageClass: `gp2=${storageClass},gp3=${storageClass}` };
      expect(await restore(objects, to, mapping)).not.toContain('there is no StorageClass');
      const key = { namespace: to, name: 'data' };
      const live = await admin().get(corev1.persistentvolumeclaims, key);
      expect(live.spec.storageClassName).toBe(storageClass);
      const sets = {
        group: 'apps',
        version: 'v1',
        kind: 'StatefulSet',
        resource: 'statefulsets',
        namespaced: true,
      };
      const set = await admin().get(sets, { namespace: to, name: 'db' });
      expect(set).toMatchObject({
        spec: { volumeClaimTemplates: [{ spec: { storageClassName: storageClass } }] },
      });
      const notes = await admin().get(corev1.configmaps, { namespace: to, name: 'notes' });
      expect(notes.data).toEqual({ storageClassName: 'gp2' });
      await expect(restore(objects, to, { storageClass: 'gp2' })).rejects.toThrow(
        'is not a list like old=new',
      );
    });
  });
}
