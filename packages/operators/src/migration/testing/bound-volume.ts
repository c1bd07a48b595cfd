import type { KubeObject } from '@kubewright/kube';

const CAPACITY = { storage: '1Gi' };
const ACCESS = ['ReadWriteOnce'];

/** A volume that is on no node, and the only claim that it can be bound to. */
export function boundVolume(
  name: string,
  claim: { readonly namespace: string; readonly name: string },
): readonly [volume: KubeObject, claim: KubeObject] {
  const kind = 'PersistentVolumeClaim';
  const claimRef = { kind, ...claim };
  const spec = { capacity: CAPACITY, accessModes: ACCESS, hostPath: { path: '/data' }, claimRef };
  const asked = {
    accessModes: ACCESS,
    storageClassName: '',
    volumeName: name,
    resources: { requests: CAPACITY },
  };
  return [
    { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec },
    { apiVersion: 'v1', kind, metadata: claim, spec: asked },
  ];
}
