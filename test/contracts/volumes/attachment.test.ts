import { StorageBackend } from '@kubewright/cluster';
import { ignoreNotFound, systemClock } from '@kubewright/client';
import { corev1, storagev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeClusters } from '../../servers/describe-clusters.ts';
import { VolumeStory } from './volume-story.ts';

const CONTROLLERS = [
  'persistentvolume-attach-detach-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
] as const;

const DRIVER = 'disk.csi.kubewright.dev';
const FINALIZER = 'external-attacher/disk-csi-kubewright-dev';

/** The end of the name of a node to which nothing can be attached. */
let failing = '';
const backend = new StorageBackend({
  clock: systemClock,
  behave: ({ operation, name }) =>
    operation === 'Attach' && failing !== '' && name.endsWith(failing)
      ? { error: { code: 'Internal', message: 'no slot' } }
      : undefined,
});
const STORAGE = { backend, backoff: { baseMs: 20, maxMs: 200 } };

function attachment(transport: () => Transport): void {
  let story: VolumeStory;
  beforeEach(async () => {
    story = await VolumeStory.begin(transport());
    failing = '';
  });
  afterEach(async () => {
    await story.end();
    for (const name of ['a', 'b'])
      await ignoreNotFound(story.client.delete(corev1.nodes, { name: story.own(name) }));
  });

  const createNode = async (name: string): Promise<string> => {
    const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
    await story.client.create(corev1.nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: story.own(name), annotations },
      spec: {},
    });
    return story.own(name);
  };
  const node = (name: string, isSo: (node: corev1.Node) => boolean): Promise<unknown> =>
    waitForObject(story.client, corev1.nodes, { name }, (live) => (live === undefined ? false : isSo(live)));
  const provisioned = async (
    name: string,
    spec: Partial<corev1.PersistentVolumeClaimSpec> = {},
  ): Promise<corev1.PersistentVolume> => {
    await story.createClaim(name, { storageClassName: 'standard', ...spec });
    const { volumeName = '' } = (await story.bound(name)).spec;
    return story.client.get(corev1.persistentvolumes, { name: volumeName });
  };
  const attachmentsOf = async (
    volume: corev1.PersistentVolume,
  ): Promise<readonly storagev1.VolumeAttachment[]> => {
    const { items } = await story.client.list(storagev1.volumeattachments);
    return items.filter(({ spec }) => spec.source.persistentVolumeName === volume.metadata.name);
  };
  const uniqueName = (volume: corev1.PersistentVolume): string =>
    `kubernetes.io/csi/${DRIVER}^${volume.spec.csi?.volumeHandle}`;
  const nameOf = ({ metadata }: corev1.PersistentVolume): string => metadata.name ?? '';
  const nodesOf = ({ spec }: corev1.PersistentVolume): readonly string[] =>
    backend.volume(spec.csi?.volumeHandle ?? '').nodes;
  const isAttached =
    (volume: corev1.PersistentVolume) =>
    ({ status }: corev1.Node): boolean =>
      status?.volumesAttached?.some(({ name }) => name === uniqueName(volume)) === true;

  test('a volume is attached where its pod is, and detached when that is gone', async () => {
    const nodeName = await createNode('a');
    const volume = await provisioned('data');
    await story.createPod('user', ['data'], nodeName);
    await node(nodeName, isAttached(volume));
    const [made] = await attachmentsOf(volume);
    expect(made?.metadata.name).toMatch(/^csi-[0-9a-f]{64}$/);
    expect(made?.metadata.finalizers).toEqual([FINALIZER]);
    expect(made?.spec).toEqual({
      attacher: DRIVER,
      nodeName,
      source: { persistentVolumeName: volume.metadata.name },
    });
    expect(made?.status).toEqual({ attached: true });
    expect(nodesOf(volume)).toEqual([nodeName]);
    const held = await story.client.get(corev1.persistentvolumes, { name: nameOf(volume) });
    expect(held.metadata.finalizers).toContain(FINALIZER);
    await expect
      .poll(() => story.events('Pod', 'user'))
      .toEqual([
        `Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "${volume.metadata.name}" `,
      ]);
    await waitForObject(
      story.client,
      storagev1.csinodes,
      { name: nodeName },
      (live) => live?.spec.drivers[0]?.name === DRIVER,
    );
    await story.client.delete(corev1.pods, story.key('user'), { gracePeriodSeconds: 0 });
    await node(nodeName, (live) => !isAttached(volume)(live));
    await expect.poll(() => attachmentsOf(volume)).toEqual([]);
    expect(nodesOf(volume)).toEqual([]);
    await story.removeClaim('data');
    await waitForObject(
      story.client,
      corev1.persistentvolumes,
      { name: nameOf(volume) },
      (live) => live === undefined,
    );
  });

  test('a volume for one node waits until the other detaches it', async () => {
    const [a, b] = [await createNode('a'), await createNode('b')];
    const volume = await provisioned('data');
    await story.createPod('first', ['data'], a);
    await node(a, isAttached(volume));
    await story.createPod('second', ['data'], b);
    await expect
      .poll(() => story.events('Pod', 'second'))
      .toEqual([
        `Warning FailedAttachVolume: Multi-Attach error for volume "${volume.metadata.name}" Volume is already used by pod(s) first`,
      ]);
    await story.client.delete(corev1.pods, story.key('first'), { gracePeriodSeconds: 0 });
    await node(b, isAttached(volume));
    expect((await attachmentsOf(volume)).map(({ spec }) => spec.nodeName)).toEqual([b]);
    await story.client.delete(corev1.pods, story.key('second'), { gracePeriodSeconds: 0 });
    await expect.poll(() => attachmentsOf(volume)).toEqual([]);
  });

  test('a shared volume is on both nodes, and one that fails says why', async () => {
    const [a, b] = [await createNode('a'), await createNode('b')];
    const volume = await provisioned('data', { accessModes: ['ReadWriteMany'] });
    failing = b;
    await story.createPod('first', ['data'], a);
    await story.createPod('second', ['data'], b);
    await node(a, isAttached(volume));
    await expect
      .poll(() => story.events('Pod', 'second'))
      .toContain(
        `Warning FailedAttachVolume: AttachVolume.Attach failed for volume "${volume.metadata.name}" : rpc error: code = Internal desc = no slot`,
      );
    failing = '';
    await node(b, isAttached(volume));
    for (const name of ['first', 'second'])
      await story.client.delete(corev1.pods, story.key(name), { gracePeriodSeconds: 0 });
    await expect.poll(() => attachmentsOf(volume)).toEqual([]);
  });

  test('a volume that its node still uses is not detached', async () => {
    const nodeName = await createNode('a');
    const volume = await provisioned('data');
    await story.createPod('user', ['data'], nodeName);
    await node(nodeName, isAttached(volume));
    const use = (volumesInUse: readonly string[] | null): Promise<unknown> =>
      story.client.patch(
        corev1.nodes,
        { name: nodeName },
        { type: 'merge', body: { status: { volumesInUse } } },
        { subresource: 'status' },
      );
    await use([uniqueName(volume)]);
    // What its pod does next is seen after that: a second volume comes and goes.
    const other = await provisioned('other');
    await story.createPod('other', ['other'], nodeName);
    await node(nodeName, isAttached(other));
    await story.client.delete(corev1.pods, story.key('user'), { gracePeriodSeconds: 0 });
    await story.client.delete(corev1.pods, story.key('other'), { gracePeriodSeconds: 0 });
    await expect.poll(() => attachmentsOf(other)).toEqual([]);
    expect(await attachmentsOf(volume)).toHaveLength(1);
    await use(null);
    await expect.poll(() => attachmentsOf(volume)).toEqual([]);
  });
}

describeClusters('Attachments', { controllers: CONTROLLERS, storage: STORAGE }, attachment);
