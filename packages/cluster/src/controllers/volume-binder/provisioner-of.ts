import type { corev1, Stored } from '@kubewright/kube';
import { MIGRATED_TO, PROVISIONED_BY } from '../volumes/annotations.ts';

/** Built-in plugins whose volumes CSI drivers look after now, by the drivers' names. */
const MIGRATED: Readonly<Record<string, string>> = {
  'kubernetes.io/aws-ebs': 'ebs.csi.aws.com',
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/azure-file': 'file.csi.azure.com',
  'kubernetes.io/cinder': 'cinder.csi.openstack.org',
  'kubernetes.io/gce-pd': 'pd.csi.storage.gke.io',
  'kubernetes.io/portworx-volume': 'pxd.portworx.com',
  'kubernetes.io/vsphere-volume': 'csi.vsphere.vmware.com',
};

const HOST_PATH = 'kubernetes.io/host-path';
const isBuiltIn = (plugin: string): boolean => plugin.startsWith('kubernetes.io/');

/** The provisioner of a class, or why there is none. */
export function provisionerOf(plugin: string): { readonly name: string } | { readonly failure: string } {
  if (Object.hasOwn(MIGRATED, plugin)) return { name: MIGRATED[plugin] ?? plugin };
  if (!isBuiltIn(plugin)) return { name: plugin };
  if (plugin !== HOST_PATH) return { failure: `no volume plugin matched name: ${plugin}` };
  return {
    failure: `Failed to create provisioner: provisioning in volume plugin "${HOST_PATH}" is disabled`,
  };
}

/** Who deletes a released volume whose policy is Delete: an external provisioner, this controller, or none, and why. */
export function deleterOf(
  volume: Stored<corev1.PersistentVolume>,
): 'external' | 'ours' | { readonly failure: string } {
  if (isExternal(volume)) return 'external';
  const { hostPath, nfs } = volume.spec;
  if (hostPath !== undefined) {
    const { path } = hostPath;
    if (/^\/tmp\/.+/.test(path)) return 'ours';
    return { failure: `host_path deleter only supports /tmp/.+ but received provided ${path}` };
  }
  const why = nfs === undefined ? 'no volume plugin matched' : 'no deletable volume plugin matched';
  return { failure: `error getting deleter volume plugin for volume "${volume.metadata.name}": ${why}` };
}

/** Made by somebody who is no built-in plugin, or whose work such a one does now; or with a CSI driver's source. */
function isExternal({ metadata, spec }: Stored<corev1.PersistentVolume>): boolean {
  const { [MIGRATED_TO]: driver = '', [PROVISIONED_BY]: maker = '' } = metadata.annotations ?? {};
  const foreign = maker !== '' && (!isBuiltIn(maker) || Object.hasOwn(MIGRATED, maker));
  return driver !== '' || foreign || spec.csi !== undefined;
}

/** Recycling is done by a pod that empties the volume; only these have one. */
export function isRecyclable({ spec }: Stored<corev1.PersistentVolume>): boolean {
  return spec.hostPath !== undefined || spec.nfs !== undefined;
}
