import { randomUUID } from 'node:crypto';
import { createClient } from '@kubewright/client';
import { corev1, type KubeObject, parseApiVersion, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { installManifests } from '../run/install-manifests.ts';
import { guardParts } from '../run/testing/guard.ts';
import { runCommand } from './main.ts';

/** The part of a server under test that this suite uses; the repository's `TestServer` is one. */
type ServerUnderTest = { transport(): Transport };

/** What `kubewright install` prints, as any API server takes it. */
export function installContract(server: () => ServerUnderTest): void {
  describe('manifests of an installation', () => {
    const namespace = `install-${randomUUID().slice(0, 8)}`;
    let transport: Transport;

    beforeAll(async () => {
      transport = server().transport();
      const home: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      await createClient(transport).create<KubeObject>(corev1.namespaces, home);
    });
    afterAll(async () => {
      await createClient(transport).delete(corev1.namespaces, { name: namespace });
      await transport.close();
    });

    /** As `kubectl apply --server-side --dry-run=server` does, which also says what is misspelt. */
    async function expectAccepted(objects: readonly KubeObject[]): Promise<void> {
      const client = createClient(transport);
      const how = { fieldManager: 'kubectl', dryRun: true, fieldValidation: 'Strict' } as const;
      for (const object of objects) {
        const { apiVersion, kind, metadata } = object;
        const applied = await client.apply({ ...parseApiVersion(apiVersion), kind }, object, how);
        expect(applied).toMatchObject({ kind, metadata: { name: metadata.name } });
      }
    }

    it('of all operators are accepted as they are printed, and printed the same each time', async () => {
      const print = async (): Promise<string> => {
        let out = '';
        const terminal = { out: (text: string) => void (out += text), err: expect.unreachable };
        const stopped = { colour: false, env: {}, cwd: '/', signal: new AbortController().signal };
        expect(await runCommand(['install', '--namespace', namespace], { ...terminal, ...stopped })).toBe(0);
        return out;
      };
      const text = await print();
      expect(await print()).toBe(text);
      const objects = parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
      expect(objects.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining([
          'Namespace',
          'CustomResourceDefinition',
          'Deployment',
          'PodDisruptionBudget',
        ]),
      );
      await expectAccepted(objects);
    });

    it('of an operator with webhooks are accepted', async () => {
      const objects = installManifests([guardParts], {
        operators: ['guard'],
        namespace,
        image: 'kubewright',
      });
      expect(objects.slice(-4).map(({ kind }) => kind)).toEqual([
        'Service',
        'Deployment',
        'PodDisruptionBudget',
        'ValidatingWebhookConfiguration',
      ]);
      await expectAccepted(objects);
    });
  });
}
