import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, ignoreNotFound } from '@kubewright/client';
import { corev1, type Transport } from '@kubewright/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RESOURCE_SLICES } from '../../packages/operators/src/ownership/api.ts';
import { configMap } from '../../packages/operators/src/ownership/testing/objects.ts';
import { useArena } from '../../packages/operators/src/ownership/testing/server-under-test.ts';
import { type Ran, runLine } from '../../packages/kubewright/src/cli/testing/run-line.ts';
import { describeClusters } from '../servers/describe-clusters.ts';

/** How far it is, every five seconds: on a busy machine there may be such lines anywhere. */
const PROGRESS = /^\d+ of \d+ objects are ready.*\n/gm;

/** What has run, without progress. */
function ended({ code, out, err }: Ran): Ran {
  return { code, out, err: err.replaceAll(PROGRESS, '') };
}

/** `kubewright apply -f FOLDER`, on a cluster where the operator runs. */
function applyFolder(transport: () => Transport, kubeconfigPath: () => string): void {
  const arena = useArena(
    () => ({
      // It ends with the cluster, not with a suite.
      transport: () => ({
        request: (request) => transport().request(request),
        close: () => Promise.resolve(),
      }),
    }),
    { apiGroups: [''], resources: ['configmaps', 'namespaces'] },
  );
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubewright-apply-'));
    mkdirSync(join(folder, 'more'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const write = (name: string, ...objects: readonly object[]): void =>
    writeFileSync(join(folder, name), objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  const apply = (...args: readonly string[]): Promise<Ran> =>
    runLine(['apply', 'shop', ...args, '-n', arena.namespace, '--kubeconfig', kubeconfigPath()]);
  /** A ConfigMap that is not ready before somebody says so. */
  const waiting = (name: string): object => {
    const annotations = { 'eno.azure.io/readiness': 'has(self.data.ready)' };
    return { ...configMap(name), metadata: { name, annotations } };
  };
  const data = async (name: string): Promise<unknown> => {
    const key = { namespace: arena.namespace, name };
    return (await ignoreNotFound(createClient(transport()).get(corev1.configmaps, key)))?.data;
  };
  const slices = async () =>
    (await createClient(transport()).list(RESOURCE_SLICES, { namespace: arena.namespace })).items;
  /** What the operator says of the objects that it has looked at and that are not ready. */
  const openObjects = async (): Promise<readonly string[]> =>
    (await slices())
      .flatMap(({ status }) => status?.resources ?? [])
      .flatMap(({ reconciled, ready, reconciliationError }) => {
        if (reconciliationError !== undefined) return ['failed'];
        return reconciled === true && ready === undefined ? ['not ready'] : [];
      })
      .toSorted();

  describe('the manifests of a folder', () => {
    test('are planned, applied, changed, and pruned when they leave it', async () => {
      write('a.yaml', configMap('a', { one: '1' }), configMap('b', { one: '1' }));
      write('more/c.json', { apiVersion: 'v1', kind: 'List', items: [configMap('c', { one: '1' })] });
      write('notes.txt', { this: 'is no manifest' });
      const planned = await apply('-f', folder);
      expect(planned.code).toBe(1);
      expect(planned.err).toBe('kubewright: nothing was written; add --yes to write this\n');
      expect(planned.out).toContain('3 to create, 0 to change, 0 to prune, 0 unchanged');
      expect(await slices()).toEqual([]);

      const created = await apply('-f', folder, '--yes');
      expect(ended(created)).toMatchObject({ code: 0, err: '' });
      expect(created.out).toContain(`+ ConfigMap ${arena.namespace}/c`);
      expect(created.out).toContain('ready\n');
      expect([await data('a'), await data('b'), await data('c')]).toEqual([
        { one: '1' },
        { one: '1' },
        { one: '1' },
      ]);

      write('a.yaml', configMap('a', { one: '2' }));
      const changed = await apply('-f', folder, '--yes', '-o', 'json');
      expect(JSON.parse(changed.out)).toEqual({
        composition: 'shop',
        changes: [
          { change: 'change', object: `ConfigMap ${arena.namespace}/a` },
          { change: 'prune', object: `ConfigMap ${arena.namespace}/b` },
        ],
        unchanged: 1,
        ready: true,
      });
      expect([await data('a'), await data('c')]).toEqual([{ one: '2' }, { one: '1' }]);
      await expect.poll(() => data('b'), { timeout: 60_000 }).toBeUndefined();

      arena.writes();
      const again = await apply('-f', folder, '--yes');
      expect(ended(again)).toMatchObject({ code: 0, err: '' });
      expect(again.out).toContain('0 to create, 0 to change, 0 to prune, 2 unchanged');
    });

    test('are in several slices where they are large, and one that is emptied goes', async () => {
      const large = 'x'.repeat(400_000);
      const many = ['d', 'e', 'f'].map((name) => configMap(name, { large }));
      write('large.yaml', ...many);
      expect(await apply('-f', folder, '--yes')).toMatchObject({ code: 0 });
      expect((await slices()).map(({ metadata }) => metadata.name)).toEqual(['shop-1', 'shop-2', 'shop-3']);

      write('large.yaml', configMap('d', { large }));
      expect(await apply('-f', folder, '--yes')).toMatchObject({ code: 0 });
      await expect.poll(() => data('f'), { timeout: 60_000 }).toBeUndefined();
      await expect.poll(slices, { timeout: 60_000 }).toHaveLength(1);
      expect(await data('d')).toEqual({ large });
    });

    test('are stored as kubectl would store them: hashes, times and dates are texts', async () => {
      const typed = { tag: 'e10', commit: 'e1234567', short: '1234e567', time: '22:30', day: '2026-11-29' };
      const lines = Object.entries(typed).map(([key, value]) => `  ${key}: ${value}\n`);
      writeFileSync(
        join(folder, 'typed.yaml'),
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: typed}\ndata:\n${lines.join('')}`,
      );
      expect(await apply('-f', folder, '--yes')).toMatchObject({ code: 0 });
      expect(await data('typed')).toEqual(typed);
      rmSync(join(folder, 'typed.yaml'));
      expect(await apply('-f', folder, '--yes')).toMatchObject({ code: 0 });
    });

    test('OWN-T72 what may not be deleted is an error, and the exit code says so', async () => {
      const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };
      const folder3 = mkdtempSync(join(tmpdir(), 'kubewright-refused-'));
      const run = (): Promise<Ran> =>
        runLine(
          ['apply', 'refused', '-f', folder3, '--yes', '--timeout', '20s', '-n', arena.namespace].concat(
            '--kubeconfig',
            kubeconfigPath(),
          ),
        );
      writeFileSync(join(folder3, 'home.json'), JSON.stringify(home));
      writeFileSync(join(folder3, 'map.json'), JSON.stringify(configMap('beside-home')));
      expect(await run()).toMatchObject({ code: 0 });

      rmSync(join(folder3, 'home.json'));
      const refused = await run();
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.err).toContain('Namespace default: cannot be deleted: ');

      writeFileSync(join(folder3, 'home.json'), JSON.stringify(home));
      expect(await run()).toMatchObject({ code: 0 });
      rmSync(folder3, { recursive: true });
    });

    test('OWN-T65 the plan says what exists already and what stays, and who has it', async () => {
      const folder2 = mkdtempSync(join(tmpdir(), 'kubewright-adopt-'));
      const writeAll = (...names: readonly string[]): void =>
        writeFileSync(
          join(folder2, 'all.yaml'),
          names.map((name) => JSON.stringify(configMap(name, { one: '1' }))).join('\n---\n'),
        );
      const run = (name: string, ...args: readonly string[]): Promise<Ran> =>
        runLine([
          'apply',
          name,
          '-f',
          folder2,
          ...args,
          '-n',
          arena.namespace,
          '--kubeconfig',
          kubeconfigPath(),
        ]);
      await arena.create(configMap('created', { one: '1' }), 'kubectl-create');
      const helm = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop' };
      const released = configMap('of-helm', { one: '1' });
      await arena.create({ ...released, metadata: { ...released.metadata, annotations: helm } }, 'helm');
      writeAll('new', 'created', 'of-helm', 'together');

      const first = await run('first', '-o', 'json');
      const object = (name: string): string => `ConfigMap ${arena.namespace}/${name}`;
      expect(JSON.parse(first.out)).toEqual({
        composition: 'first',
        changes: [
          { change: 'create', object: object('new') },
          { change: 'adopt', object: object('created'), heldBy: ['kubectl-create (Update)'] },
          { change: 'adopt', object: object('of-helm'), heldBy: ['Helm release shop/web'] },
          { change: 'create', object: object('together') },
        ],
        unchanged: 0,
      });
      expect(ended(await run('first', '--yes'))).toMatchObject({ code: 0, err: '' });

      writeAll('together');
      const second = await run('second');
      expect(second.out).toContain('0 to create, 0 to change, 0 to prune, 1 to adopt, 0 unchanged');
      expect(second.out).toContain(
        `> ${object('together')}   exists, held by Composition ${arena.namespace}/first\n`,
      );
      expect(ended(await run('second', '--yes'))).toMatchObject({ code: 0, err: '' });

      writeAll('new');
      const pruned = await run('first', '-o', 'json');
      expect(JSON.parse(pruned.out)).toMatchObject({
        changes: [
          { change: 'prune', object: object('created') },
          { change: 'release', object: object('of-helm'), heldBy: ['Helm release shop/web'] },
          {
            change: 'release',
            object: object('together'),
            heldBy: [`Composition ${arena.namespace}/second`],
          },
        ],
        unchanged: 1,
      });
      const done = await run('first', '--yes');
      expect(ended(done)).toMatchObject({ code: 0, err: '' });
      expect(done.out).toContain(`< ${object('of-helm')}   stays: Helm release shop/web has it too\n`);
      await expect.poll(() => data('created'), { timeout: 60_000 }).toBeUndefined();
      expect([await data('of-helm'), await data('together')]).toEqual([{ one: '1' }, { one: '1' }]);
      rmSync(folder2, { recursive: true });
    });

    test('OWN-T73 OWN-T74 that cannot be applied are named, and what is wrong is an error of one line', async () => {
      write('more/wrong.yaml', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Wrong' } });
      write('more/slow.yaml', waiting('a-slow'));
      // The end is never reached. How much the operator has done by then is not this test's to say.
      const first = await apply('-f', folder, '--yes', '--timeout', '1s');
      expect(first.code).toBe(1);
      await expect.poll(openObjects, { timeout: 60_000 }).toEqual(['failed', 'not ready']);
      const wrong = await apply('-f', folder, '--yes', '--timeout', '8s');
      expect(wrong.code).toBe(1);
      // The one with the error comes first, but all that is missing is named.
      const missing = new RegExp(
        `is not ready: \\d of \\d objects are ready; ConfigMap ${arena.namespace}/Wrong: .*; ConfigMap ${arena.namespace}/a-slow: not ready`,
      );
      expect(wrong.err).toMatch(missing);
      expect(wrong.err).toContain('a lowercase RFC 1123 subdomain');
      expect(wrong.err).not.toContain('is the operator running?');
      // The plan is there although the end was never reached, and how far it was after five seconds (OWN-T74).
      expect(first.out).toContain(`+ ConfigMap ${arena.namespace}/Wrong`);
      expect(wrong.err).toMatch(PROGRESS);
      expect(ended(wrong).err).toMatch(/^kubewright: shop is not ready: [^\n]*\n$/);
      rmSync(join(folder, 'more/slow.yaml'));

      write('more/wrong.yaml', configMap('c'));
      expect((await apply('-f', folder)).err).toMatch(/ConfigMap \S+\/c is in \S+c\.json too/);
      write('more/wrong.yaml', { kind: 'ConfigMap', metadata: { name: 'x' } });
      expect((await apply('-f', folder)).err).toContain(
        'wrong.yaml: ConfigMap x: missing name, kind, or apiVersion',
      );
      writeFileSync(join(folder, 'more/wrong.yaml'), 'a: [');
      expect((await apply('-f', folder)).err).toContain('more/wrong.yaml: ');
      expect((await apply('-f', join(folder, 'nothing'))).err).toContain('cannot read');
      expect((await apply()).err).toContain('name a folder or a file with -f');
      rmSync(join(folder, 'more/wrong.yaml'));
      expect(await apply('-f', folder, '--yes')).toMatchObject({ code: 0 });
    });
  });
}

describeClusters(
  'kubewright apply',
  { controllers: ['garbage-collector-controller'], kubectl: true },
  (transport, _nodes, kubeconfigPath) => applyFolder(transport, kubeconfigPath),
);
