import type { ImageConfig } from '../../packages/kubewright/src/image/oci-archive.ts';
import type { ImageFile } from '../../packages/kubewright/src/image/image-layer.ts';

export type Architecture = 'amd64' | 'arm64';

/** As the manifests of `kubewright install` run it, and the images of "distroless" do. */
const USER = 65_532;
const HOME = 'home/nonroot';
const NODE = 'usr/local/bin/node';
const PACKAGE = 'opt/kubewright';

/** What every Linux program expects beside its libraries: users, names, folders. Folders of Debian's packages are below `usr`. */
export const SYSTEM_FILES: readonly ImageFile[] = [
  { path: 'lib', link: 'usr/lib' },
  { path: 'lib64', link: 'usr/lib64' },
  {
    path: 'etc/passwd',
    content: `root:x:0:0:root:/:/sbin/nologin\nnonroot:x:${USER}:${USER}:nonroot:/${HOME}:/sbin/nologin\n`,
  },
  { path: 'etc/group', content: `root:x:0:\nnonroot:x:${USER}:\n` },
  { path: 'etc/nsswitch.conf', content: 'passwd: files\ngroup: files\nhosts: files dns\n' },
  { path: 'tmp/', mode: 0o1777 },
  { path: `${HOME}/` },
];

/** Node's own binary, where `#!` of a script finds it. */
export const nodeFile = (content: Uint8Array): ImageFile => ({ path: NODE, mode: 0o755, content });

/** The package `kubewright`, as npm would install it: path in the package → content. */
export function packageFiles(files: ReadonlyMap<string, Uint8Array>): readonly ImageFile[] {
  const copied = [...files].map(([path, content]) => ({ path: `${PACKAGE}/${path}`, content }));
  // `kubectl exec deploy/kubewright -- kubewright …` works without a shell and without `env`.
  const command = `#!/${NODE}\nimport('/${PACKAGE}/bin/kubewright.mjs');\n`;
  return [...copied, { path: 'usr/local/bin/kubewright', mode: 0o755, content: command }];
}

export function imageConfig(version: string): ImageConfig {
  return {
    User: `${USER}:${USER}`,
    WorkingDir: `/${HOME}`,
    Entrypoint: [`/${NODE}`, `/${PACKAGE}/bin/kubewright.mjs`],
    Env: ['PATH=/usr/local/bin:/usr/bin', `HOME=/${HOME}`],
    Labels: {
      'org.opencontainers.image.title': 'kubewright',
      'org.opencontainers.image.description': 'The manager of the operators, and the command line',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.version': version,
    },
  };
}
