import { randomUUID } from 'node:crypto';
import { type Client, createClient } from '@kubewright/client';
import { corev1, type KubeObject, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, runLine } from './testing/run-line.ts';

/** The part of a server under test that this suite uses; the repository's `TestServer` is one. */
type ServerUnderTest = { readonly kubeconfigPath: string; transport(): Transport };

/** `kubewright owners scan` on any API server. */
export function ownersScanContract(server: () => ServerUnderTest): void {
  describe('kubewright owners scan', () => {
    const namespace = `scan-${randomUUID().slice(0, 8)}`;
    let transport: Transport;
    let client: Client;

    beforeAll(async () => {
      transport = server().transport();
      client = createClient(transport);
      await client.create<KubeObject>(corev1.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
      });
      for (const name of ['first', 'second', 'alone']) await writeBy('helm', name, { a: '1', b: '1' });
      await writeBy('platform', 'first', { a: '1' });
      await writeBy('platform', 'second', { a: '1', b: '1' });
      await applyBy('platform', 'third', { c: '1' });
      await applyBy('ci', 'third', { c: '1' });
    });
    afterAll(async () => {
      await client.deleteAll(corev1.configmaps, { namespace });
      await client.delete(corev1.namespaces, { name: namespace });
      await transport.close();
    });

    /** As a client-side tool does, or an applier of the same values. */
    async function writeBy(manager: string, name: string, data: Record<string, string>): Promise<void> {
      if (manager === 'platform') return applyBy(manager, name, data);
      const labels = { app: name };
      await client.create(
        corev1.configmaps,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels }, data },
        { fieldManager: manager },
      );
    }

    async function applyBy(manager: string, name: string, data: Record<string, string>): Promise<void> {
      await client.apply(
        corev1.configmaps,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data },
        { fieldManager: manager },
      );
    }

    function scan(...more: readonly string[]): Promise<Ran> {
      return runLine(['owners', 'scan', '--kubeconfig', server().kubeconfigPath, ...more]);
    }

    it('groups the objects that are split by pair of managers, of one kind or of all', async () => {
      const { code, out } = await scan('-n', namespace);
      expect(code).toBe(0);
      expect(out).toContain(
        [
          'platform (Apply) and helm (Update): 2 objects',
          `  ConfigMap ${namespace}/first    1 field, such as .data.a`,
          `  ConfigMap ${namespace}/second   2 fields, such as .data.a`,
          'ci (Apply) and platform (Apply): 1 object',
          `  ConfigMap ${namespace}/third   1 field, such as .data.c`,
        ].join('\n'),
      );
      expect((await scan('-n', namespace, '--kinds', 'deploy')).out).toMatch(/^0 of 0 objects of 1 kind /m);
    });

    it('without -n reads all namespaces, and what has none', async () => {
      const { out } = await scan('-o', 'json');
      const found: unknown = JSON.parse(out);
      const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'third' };
      expect(found).toMatchObject({
        pairs: expect.arrayContaining([
          {
            applier: expect.any(String),
            other: expect.objectContaining({ operation: 'Apply' }),
            objects: expect.arrayContaining([{ ...object, fields: 1, paths: ['.data.c'] }]),
          },
        ]),
      });
    });

    it('-l filters by labels, and a selector that cannot be read is one line', async () => {
      const { out } = await scan('-n', namespace, '-l', 'app=second', '--kinds', 'cm');
      expect(out).toMatch(/^1 of 1 object of 1 kind has split ownership$/m);
      const { code, err } = await scan('--kinds', 'cm', '-l', 'a==,');
      expect(code).toBe(1);
      expect(err).toMatch(/^kubewright: [^\n]*\n$/);
    });

    it('of an unknown kind says how to find one', async () => {
      const { code, err } = await scan('--kinds', 'cm,weave');
      expect(code).toBe(1);
      expect(err).toContain('the server has no resource "weave"; "kubectl api-resources" lists what it has');
    });

    it('what it finds is migrated by one command', async () => {
      const migrate = (...more: readonly string[]): Promise<Ran> =>
        runLine(['owners', 'migrate', ...more, '-n', namespace, '--kubeconfig', server().kubeconfigPath]);
      const all = ['--all', '--to', 'platform', '--kinds', 'configmaps'];
      const dataBefore = await dataOf(client);
      const unconfirmed = await migrate(...all);
      expect(unconfirmed.code).toBe(1);
      expect(unconfirmed.out).toContain('platform (Apply) and helm (Update): 2 objects');
      expect(unconfirmed.out).toContain('3 of 4 objects of 1 kind have split ownership');
      expect(unconfirmed.err).toContain('nothing was written; add --yes');
      expect((await migrate(...all, '--dry-run=server')).out).toContain(
        'nothing was written\n3 of 3 objects',
      );

      const migrated = await migrate(...all, '--yes', '-o', 'json');
      expect(migrated).toMatchObject({ code: 0, err: '' });
      expect(JSON.parse(migrated.out)).toMatchObject({ found: 3, migrated: 3, refused: 0, remaining: 0 });
      expect(await dataOf(client)).toEqual(dataBefore);
      expect((await migrate(...all, '--yes')).out).toBe('0 of 0 objects migrated\n');
      await applyBy('platform', 'second', { a: '1' });
      expect((await client.get(corev1.configmaps, { namespace, name: 'second' })).data).toEqual({ a: '1' });

      expect((await migrate('--all', '--to', 'platform', '--remove', 'data.a')).err).toContain(
        '--remove is for one object',
      );
      expect((await migrate('--to', 'platform')).err).toContain('is not KIND/NAME');
    });

    it('OWN-T79 what nobody applies any more is found, and removed by another command', async () => {
      const remove = (...more: readonly string[]): Promise<Ran> =>
        runLine(['owners', 'remove', ...more, '-n', namespace, '--kubeconfig', server().kubeconfigPath]);
      const key = { namespace, name: 'left' };
      await client.create(
        corev1.configmaps,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: { kept: '1', old: '1', lost: '1' } },
        { fieldManager: 'kubectl-create' },
      );
      await applyBy('ci', 'left', { kept: '1', old: '1' });
      await applyBy('ci', 'left', { kept: '1' });
      const { managedFields = [] } = (await client.get(corev1.configmaps, key)).metadata;
      const value = managedFields.map((entry) =>
        entry.manager === 'ci' ? entry : { ...entry, fieldsV1: { 'f:data': { 'f:old': {} } } },
      );
      const body = [{ op: 'replace', path: '/metadata/managedFields', value }];
      await client.patch(corev1.configmaps, key, { type: 'json', body });

      const found = await scan('-n', namespace, '--kinds', 'cm', '-o', 'json');
      expect(JSON.parse(found.out)).toMatchObject({
        leftovers: [
          {
            name: 'left',
            fields: 2,
            paths: ['data.lost', 'data.old'],
            owners: ['kubectl-create (Update)'],
          },
        ],
      });
      expect((await scan('-n', namespace, '--kinds', 'cm')).out).toContain(
        `kubewright owners remove configmap/left -n ${namespace} --fields data.lost`,
      );

      const planned = await remove('configmap/left', '--fields', 'data.old,data.lost');
      expect(planned).toMatchObject({
        code: 1,
        out: '  - data.old   owned by kubectl-create (Update)\n  - data.lost   owned by nobody\n',
      });
      expect(planned.err).toContain('nothing was written; add --yes');
      expect((await remove('configmap/left', '--fields', 'data.kept', '--yes')).err).toContain(
        'data.kept is applied by ci (Apply): leave it out of its manifest',
      );
      expect((await remove('configmap/left', '--fields', 'data.none', '--yes')).err).toContain(
        'the object has no data.none',
      );

      const removed = await remove('configmap/left', '--fields', 'data.old,data.lost', '--yes');
      expect(removed).toMatchObject({ code: 0, err: '' });
      const after = await client.get(corev1.configmaps, key);
      expect(after.data).toEqual({ kept: '1' });
      expect((after.metadata.managedFields ?? []).map(({ manager }) => manager)).toEqual(['ci']);
      expect(JSON.parse((await scan('-n', namespace, '--kinds', 'cm', '-o', 'json')).out)).toMatchObject({
        leftovers: [],
      });
    });

    async function dataOf(reader: Client): Promise<unknown> {
      const { items } = await reader.list(corev1.configmaps, { namespace });
      return items.map(({ metadata, data }) => [metadata.name, data]);
    }
  });
}
