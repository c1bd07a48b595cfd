import { createHash } from 'node:crypto';
import { encodeYaml } from '../../packages/kubewright/src/cli/encode-yaml.ts';

/** Where the files of a release are attached to its tag. */
const DOWNLOADS = 'https://github.com/kubewright/kubewright/releases/download';
/** By its `#!`, the package runs where there is a Node.js. On Windows nothing reads that line. */
const SYSTEMS = ['darwin', 'linux'];

/**
 * What krew needs to install the command line as `kubectl wright`: the package that npm has, by its hash. The name is that of the
 * file, too. https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest
 */
export function krewManifest(version: string, file: string, content: Uint8Array): string {
  const archive = {
    uri: `${DOWNLOADS}/v${version}/${file}`,
    sha256: createHash('sha256').update(content).digest('hex'),
    bin: 'package/bin/kubewright.mjs',
  };
  return encodeYaml({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'wright' },
    spec: {
      version: `v${version}`,
      homepage: 'https://github.com/kubewright/kubewright',
      shortDescription: 'Find who owns a field, who changed it, and act safely',
      description:
        'Shows who owns which field of an object and what blocks its removal, what drifts and why, and plans and makes migrations of\nstateful pods, captures and restores. Installs the operators of Kubewright, and checks them.\n',
      caveats: 'It needs Node.js 20 or later in the PATH.\n',
      platforms: SYSTEMS.map((os) => ({ selector: { matchLabels: { os } }, ...archive })),
    },
  });
}
