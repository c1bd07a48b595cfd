import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Client, createClient, ignoreNotFound } from '@kubewright/client';
import { corev1, type KubeObject, storagev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';

type Volume = corev1.PersistentVolume;
type Claim = corev1.PersistentVolumeClaim;
export type ClaimSpec = Partial<corev1.PersistentVolumeClaimSpec> & { readonly size?: string };
export type VolumeSpec = Partial<corev1.PersistentVolumeSpec> & { readonly size?: string };
type Meta = { readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> };

/** One test's namespace and class, and the claims and volumes in them. Volumes and classes are named after the test. */
export class VolumeStory {
  readonly client: Client;
  readonly namespace: string;

  private constructor(client: Client, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  static async begin(transport: Transport): Promise<VolumeStory> {
    const client = createClient(transport);
    const name = `volumes-${randomUUID().slice(0, 8)}`;
    await client.create(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: {},
    });
    return new VolumeStory(client, name);
  }

  key(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.namespace, name };
  }

  /** A name that is this test's in the whole cluster. */
  own(name: string): string {
    return `${this.namespace}-${name}`;
  }

  createClaim(name: string, { size = '1Gi', ...spec }: ClaimSpec = {}, meta: Meta = {}): Promise<Claim> {
    return this.client.create(corev1.persistentvolumeclaims, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: this.namespace, ...meta },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: size } },
        // None but this test's volumes.
        storageClassName: this.namespace,
        ...spec,
      },
    });
  }

  createVolume(name: string, { size = '1Gi', ...spec }: VolumeSpec = {}, meta: Meta = {}): Promise<Volume> {
    return this.client.create(corev1.persistentvolumes, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: this.own(name), ...meta },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: size },
        storageClassName: this.namespace,
        ...((spec.csi ?? spec.nfs ?? spec.fc ?? spec.hostPath) ? {} : { hostPath: { path: '/tmp/volumes' } }),
        ...spec,
      },
    });
  }

  createClass(more: Partial<storagev1.StorageClass> = {}): Promise<storagev1.StorageClass> {
    return this.client.create(storagev1.storageclasses, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: this.namespace },
      provisioner: 'disk.example.com',
      ...more,
    });
  }

  /** A pod that uses claims; with a node it counts as started. */
  createPod(name: string, claims: readonly string[], nodeName?: string): Promise<corev1.Pod> {
    return this.client.create(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: this.namespace },
      spec: {
        containers: [{ name: 'main', image: 'main' }],
        volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
        ...(nodeName === undefined ? {} : { nodeName }),
      },
    });
  }

  async claim(name: string, isSo: (claim: Claim) => boolean): Promise<Claim> {
    const found = await waitForObject(this.client, corev1.persistentvolumeclaims, this.key(name), (live) =>
      live === undefined ? false : isSo(live),
    );
    assert(found !== undefined, `the claim ${name} is gone`);
    return found;
  }

  async volume(name: string, isSo: (volume: Volume) => boolean): Promise<Volume> {
    const found = await waitForObject(
      this.client,
      corev1.persistentvolumes,
      { name: this.own(name) },
      (live) => (live === undefined ? false : isSo(live)),
    );
    assert(found !== undefined, `the volume ${name} is gone`);
    return found;
  }

  bound(name: string): Promise<Claim> {
    return this.claim(name, ({ status }) => status?.phase === 'Bound');
  }

  inPhase(name: string, phase: string): Promise<Volume> {
    return this.volume(name, ({ status }) => status?.phase === phase);
  }

  async removeClaim(name: string): Promise<void> {
    await ignoreNotFound(this.client.delete(corev1.persistentvolumeclaims, this.key(name)));
  }

  async gone(kind: 'claim' | 'volume', name: string): Promise<void> {
    const absent = (live: KubeObject | undefined): boolean => live === undefined;
    if (kind === 'claim')
      await waitForObject(this.client, corev1.persistentvolumeclaims, this.key(name), absent);
    else await waitForObject(this.client, corev1.persistentvolumes, { name: this.own(name) }, absent);
  }

  /** Reasons and messages of what was told of an object, each once; this test's name reads `NS`. */
  async events(kind: string, name: string): Promise<readonly string[]> {
    const { items } = await this.client.list(corev1.events, {});
    const texts = items
      .filter(({ involvedObject: about }) => about.kind === kind && about.name === name)
      .filter(({ involvedObject: { namespace = '' } }) => namespace === '' || namespace === this.namespace)
      .map(({ reason, message, type }) => `${type} ${reason}: ${message}`.replaceAll(this.namespace, 'NS'));
    return [...new Set(texts)].sort();
  }

  /** Removes what a cluster would keep: its volumes and its class. */
  async end(): Promise<void> {
    const { items } = await this.client.list(corev1.persistentvolumes);
    for (const { metadata } of items.filter((one) => one.metadata.name?.startsWith(this.namespace))) {
      const key = { name: metadata.name };
      await ignoreNotFound(this.client.delete(corev1.persistentvolumes, key));
      const body = { metadata: { finalizers: null } };
      await ignoreNotFound(this.client.patch(corev1.persistentvolumes, key, { type: 'merge', body }));
    }
    await ignoreNotFound(this.client.delete(storagev1.storageclasses, { name: this.namespace }));
  }
}
