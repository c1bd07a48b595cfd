import { createClient, type Client } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { beforeAll, expect, test } from 'vitest';
import { describeClusters } from '../servers/describe-clusters.ts';

const CONTROLLERS = ['root-ca-certificate-publisher-controller', 'serviceaccount-controller'] as const;
const ROOT_CA = 'kube-root-ca.crt';
const DESCRIPTION = 'kubernetes.io/description';

describeClusters('What every namespace has', CONTROLLERS, (transport) => {
  let client: Client;
  beforeAll(() => {
    client = createClient(transport());
  });
  const account = (namespace: string, isSo: (account: corev1.ServiceAccount) => boolean = () => true) =>
    waitForObject(client, corev1.serviceaccounts, { namespace, name: 'default' }, (live) =>
      live === undefined ? false : isSo(live),
    );
  const rootCa = (namespace: string, isSo: (map: corev1.ConfigMap) => boolean = () => true) =>
    waitForObject(client, corev1.configmaps, { namespace, name: ROOT_CA }, (live) =>
      live === undefined ? false : isSo(live),
    );
  const makeNamespace = async (name: string): Promise<string> => {
    await client.create(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: {},
    });
    return name;
  };

  test('namespaces that were there before have an account and the authority too', async () => {
    for (const namespace of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
      await account(namespace);
      expect((await rootCa(namespace))?.data).toEqual((await rootCa('default'))?.data);
    }
  });

  test('a new namespace gets both', async () => {
    const namespace = await makeNamespace('new');
    const { metadata, ...rest } = (await account(namespace)) ?? {};
    expect(Object.keys(metadata ?? {}).sort()).toEqual([
      'creationTimestamp',
      'name',
      'namespace',
      'resourceVersion',
      'uid',
    ]);
    expect(rest).toEqual({ apiVersion: 'v1', kind: 'ServiceAccount' });
    const map = await rootCa(namespace);
    expect(Object.keys(map?.data ?? {})).toEqual(['ca.crt']);
    expect(map?.metadata.labels).toBeUndefined();
    expect(map?.metadata.annotations).toEqual({
      [DESCRIPTION]:
        'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
    });
  });

  test('what is deleted comes back', async () => {
    const namespace = await makeNamespace('emptied');
    const [first, map] = [await account(namespace), await rootCa(namespace)];
    await client.delete(corev1.serviceaccounts, { namespace, name: 'default' });
    await client.delete(corev1.configmaps, { namespace, name: ROOT_CA });
    await account(namespace, ({ metadata }) => metadata.uid !== first?.metadata.uid);
    const again = await rootCa(namespace, ({ metadata }) => metadata.uid !== map?.metadata.uid);
    expect(again?.data).toEqual(map?.data);
  });

  test('the authority cannot be replaced, what others write beside it stays', async () => {
    const namespace = await makeNamespace('changed');
    const map = await rootCa(namespace);
    const metadata = { annotations: { [DESCRIPTION]: 'mine', team: 'blue' }, labels: { tier: 'x' } };
    const key = { namespace, name: ROOT_CA };
    const body = { metadata, data: { 'ca.crt': 'a forgery', more: 'yes' } };
    await client.patch(corev1.configmaps, key, { type: 'merge', body });
    const mended = await rootCa(namespace, ({ data }) => data?.['ca.crt'] !== 'a forgery');
    expect(mended?.data).toEqual(map?.data);
    expect(mended?.metadata.labels).toEqual({ tier: 'x' });
    expect(mended?.metadata.annotations).toEqual({ ...map?.metadata.annotations, team: 'blue' });
    // Another description is good enough, none is not.
    const other = { metadata: { annotations: { [DESCRIPTION]: 'mine' } } };
    await client.patch(corev1.configmaps, key, { type: 'merge', body: other });
    const none = { metadata: { annotations: { [DESCRIPTION]: null, seen: 'twice' } } };
    await client.patch(corev1.configmaps, key, { type: 'merge', body: none });
    const described = await rootCa(
      namespace,
      ({ metadata: { annotations } }) =>
        annotations?.[DESCRIPTION] !== undefined && annotations['seen'] !== undefined,
    );
    expect(described?.metadata.annotations).toEqual({ ...mended?.metadata.annotations, seen: 'twice' });
  });

  test('an account that was changed stays as it is', async () => {
    const namespace = await makeNamespace('own-account');
    await Promise.all([account(namespace), rootCa(namespace)]);
    const key = { namespace, name: 'default' };
    const body = { automountServiceAccountToken: false, metadata: { labels: { mine: 'yes' } } };
    const patched = await client.patch(corev1.serviceaccounts, key, { type: 'merge', body });
    await client.delete(corev1.configmaps, { namespace, name: ROOT_CA });
    await rootCa(namespace);
    expect(await client.get(corev1.serviceaccounts, key)).toEqual(patched);
  });
});
