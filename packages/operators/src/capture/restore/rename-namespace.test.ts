import type { JsonObject, Named } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { copyNotes } from './copy-notes.ts';
import { renameNamespace, textRenamer } from './rename-namespace.ts';

function objectOf(apiVersion: string, kind: string, fields: JsonObject, metadata: JsonObject = {}): Named {
  return { apiVersion, kind, metadata: { name: 'web', namespace: 'shop', ...metadata }, ...fields };
}

function renamed(object: Named): { readonly object: Named; readonly paths: readonly string[] } {
  const paths: string[] = [];
  const change = { from: 'shop', to: 'shop-2', onRename: (path: string) => void paths.push(path) };
  return { object: renameNamespace(object, change), paths };
}

describe('CAP-230 the namespace of a capture, where an object names it', () => {
  test.each<[string, JsonObject, JsonObject, string]>([
    [
      'the accounts of a RoleBinding',
      { subjects: [{ kind: 'ServiceAccount', name: 'web', namespace: 'shop' }] },
      { subjects: [{ kind: 'ServiceAccount', name: 'web', namespace: 'shop-2' }] },
      'subjects[0].namespace',
    ],
    [
      'what a ServiceMonitor selects',
      { spec: { namespaceSelector: { matchNames: ['shop', 'other'] } } },
      { spec: { namespaceSelector: { matchNames: ['shop-2', 'other'] } } },
      'spec.namespaceSelector.matchNames[0]',
    ],
    [
      'the label of its own name, in a NetworkPolicy',
      {
        spec: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop', app: 'shop' } } },
      },
      {
        spec: {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop-2', app: 'shop' } },
        },
      },
      'spec.namespaceSelector.matchLabels["kubernetes.io/metadata.name"]',
    ],
    [
      'the same as an expression',
      { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['shop'] }] },
      { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['shop-2'] }] },
      'matchExpressions[0].values[0]',
    ],
    [
      'a name of a certificate',
      { spec: { dnsNames: ['web.shop.svc', 'www.shop.example.com'] } },
      { spec: { dnsNames: ['web.shop-2.svc', 'www.shop.example.com'] } },
      'spec.dnsNames[0]',
    ],
    [
      'a variable of a container',
      {
        env: [
          { name: 'POD_NAMESPACE', value: 'shop' },
          { name: 'SHOP', value: 'shop' },
        ],
      },
      {
        env: [
          { name: 'POD_NAMESPACE', value: 'shop-2' },
          { name: 'SHOP', value: 'shop' },
        ],
      },
      'env[0].value',
    ],
    [
      'a target',
      { spec: { targetNamespace: 'shop', app: 'shop' } },
      { spec: { targetNamespace: 'shop-2', app: 'shop' } },
      'spec.targetNamespace',
    ],
  ])('%s is the one of the restore, and a word of the same letters stays', (_what, before, after, path) => {
    const { object, paths } = renamed(objectOf('example.com/v1', 'Any', before));
    expect(object).toEqual(objectOf('example.com/v1', 'Any', after));
    expect(paths).toEqual([path]);
  });

  test.each([
    ['http://db.shop.svc:5432', 'http://db.shop-2.svc:5432'],
    [
      'db-0.db.shop.svc.cluster.local,db-1.db.shop.svc',
      'db-0.db.shop-2.svc.cluster.local,db-1.db.shop-2.svc',
    ],
    ['system:serviceaccount:shop:web', 'system:serviceaccount:shop-2:web'],
    ['system:serviceaccounts:shop', 'system:serviceaccounts:shop-2'],
    ['spiffe://cluster.local/ns/shop/sa/web', 'spiffe://cluster.local/ns/shop-2/sa/web'],
    ['--watch-namespace=shop', '--watch-namespace=shop-2'],
    ['sum(up{namespace="shop",job="shop"})', 'sum(up{namespace="shop-2",job="shop"})'],
    ['metadata:\n  namespace: shop\n  name: shop\n', 'metadata:\n  namespace: shop-2\n  name: shop\n'],
  ])('in a text: %s', (before, after) => {
    expect(textRenamer('shop', 'shop-2')(before)).toBe(after);
  });

  test.each([
    'shop',
    'shop.svc.example.com',
    'db.workshop.svc',
    'db.shop-old.svc',
    'db.shop.svcs',
    'db.shop.example.com',
    'namespace=shop-old',
    'namespace=shop.example.com',
    'system:serviceaccount:shopping:web',
    'registry.example.com/shop/web:1',
  ])('not in %s, which names something else', (text) => {
    expect(textRenamer('shop', 'shop-2')(text)).toBe(text);
  });

  test('labels and annotations that name it change, its own name and the values of a Secret do not', () => {
    const annotations = { 'meta.helm.sh/release-namespace': 'shop', 'meta.helm.sh/release-name': 'shop' };
    const data = { url: Buffer.from('postgres://db.shop.svc').toString('base64') };
    const secret = objectOf('v1', 'Secret', { data }, { name: 'shop', annotations });
    const { object, paths } = renamed(secret);
    expect(object).toEqual({
      ...secret,
      metadata: {
        ...secret.metadata,
        annotations: { ...annotations, 'meta.helm.sh/release-namespace': 'shop-2' },
      },
    });
    expect(paths).toEqual(['metadata.annotations["meta.helm.sh/release-namespace"]']);
  });
});

describe('CAP-231 what a plan says of an object in another namespace', () => {
  const notes = (object: Named) => copyNotes(object, object, { from: 'shop', to: 'shop-2' }).filter(Boolean);

  test('where the namespace changes, and where it may be named and stays: a Secret by its key, never by its value', () => {
    const url = Buffer.from('postgres://user:geheim@db.shop.svc/orders').toString('base64');
    expect(notes(objectOf('v1', 'Secret', { data: { url } }))).toEqual(['namespace shop stays in data.url']);
    const fields = ['a', 'b', 'c', 'd'].map((name) => [name, 'http://db.shop.svc']);
    expect(notes(objectOf('v1', 'ConfigMap', { data: Object.fromEntries(fields) }))[0]).toBe(
      'shop-2 in place of shop in data.a, data.b, data.c, and 1 more',
    );
    const short = objectOf('v1', 'ConfigMap', { data: { 'app.yaml': 'host: redis.shop:6379' } });
    expect(notes(short)).toContain('namespace shop stays in data["app.yaml"]');
  });

  test('an Ingress has the hosts of the original, and a CronJob its times', () => {
    expect(notes(objectOf('networking.k8s.io/v1', 'Ingress', { spec: {} }))[0]).toContain(
      'hosts of the original',
    );
    expect(notes(objectOf('batch/v1', 'CronJob', { spec: {} }))[0]).toContain('at the times');
    expect(notes(objectOf('v1', 'ConfigMap', { data: { a: 'shop' } }))).toEqual([]);
  });
});
