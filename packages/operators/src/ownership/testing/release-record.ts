import { gzipSync } from 'node:zlib';
import type { KubeObject } from '@kubewright/kube';

/** A revision of a release that a test stores as Helm does. */
export type RecordedRevision = {
  readonly name: string;
  readonly namespace: string;
  readonly revision: number;
  readonly status: string;
  readonly manifests: readonly KubeObject[];
  /** Default: server-side. */
  readonly method?: 'ssa' | 'csa';
};

/** The text that Helm stores of a revision. */
export function releaseText({
  name,
  namespace,
  revision,
  status,
  manifests,
  method = 'ssa',
}: RecordedRevision): string {
  const manifest = manifests
    .map((one) => `---\n# Source: web/templates/x.yaml\n${JSON.stringify(one)}\n`)
    .join('');
  const record = { name, namespace, version: revision, info: { status }, manifest, apply_method: method };
  return gzipSync(JSON.stringify(record)).toString('base64');
}

/** The Secret in which Helm stores a revision. */
export function releaseSecret(revision: RecordedRevision): KubeObject & { readonly type: string } {
  const { name, namespace, revision: version, status } = revision;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'helm.sh/release.v1',
    metadata: {
      name: `sh.helm.release.v1.${name}.v${version}`,
      namespace,
      labels: { name, owner: 'helm', status, version: String(version) },
    },
    data: { release: Buffer.from(releaseText(revision)).toString('base64') },
  };
}
