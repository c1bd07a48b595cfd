import { KUBERNETES_VERSION } from '@kubewright/apiserver';
import type { BinaryName } from './binary-names.ts';
import { ETCD, KUBE_APISERVER } from './flag-names.data.ts';
import type { GoFlags } from './read-go-flags.ts';

export type Binary = {
  readonly flags: GoFlags;
  /** What `--version` prints. */
  readonly version: string;
};

export const BINARIES: Readonly<Record<BinaryName, Binary>> = {
  etcd: { flags: ETCD, version: `etcd of kubewright for Kubernetes ${KUBERNETES_VERSION}` },
  'kube-apiserver': { flags: KUBE_APISERVER, version: `Kubernetes ${KUBERNETES_VERSION}` },
};

/** What `--help` prints. Suites look in it for flags, each at the beginning of a line. */
export function helpOf(name: BinaryName): string {
  const { switches, values } = BINARIES[name].flags;
  const lines = [...switches, ...values].toSorted().map((flag) => `  --${flag}\n`);
  return `Kubewright in place of ${name}: takes all of its flags, and ignores those that it has no use for.\n\n${lines.join('')}`;
}
