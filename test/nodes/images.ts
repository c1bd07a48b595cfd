import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ORIGINAL_CONSUMER } from '../../packages/operators/src/migration/original-application.contract.ts';
import { nodeRoot } from '../../tools/assets/find-nodes.mjs';

/** The manifests of images by name, and all blobs by digest, as a registry has them. */
export type Images = {
  readonly manifests: ReadonlyMap<string, string>;
  /** Paths by digest. */
  readonly blobs: ReadonlyMap<string, string>;
};

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar';
export const MANIFEST_TYPE = MANIFEST;

/** Makes the images that nodes run: of the sandboxes of pods, and of a Node.js consumer. */
export async function makeImages(folder: string): Promise<Images> {
  const manifests = new Map<string, string>();
  const blobs = new Map<string, string>();
  const images = {
    'pause:1': { root: pauseRoot(join(folder, 'pause')), command: ['/busybox', 'sleep', 'infinity'] },
    [ORIGINAL_CONSUMER]: {
      root: await consumerRoot(join(folder, 'consumer')),
      command: [process.execPath, '/consumer.mjs'],
    },
  };
  const addBlob = (content: Buffer): Descriptor => {
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    const path = join(folder, digest.slice(7));
    writeFileSync(path, content);
    blobs.set(digest, path);
    return { digest, size: content.length };
  };
  for (const [name, { root, command }] of Object.entries(images)) {
    const { digest } = addImage(root, command, addBlob);
    manifests.set(name, digest);
  }
  return { manifests, blobs };
}

type Descriptor = { readonly digest: string; readonly size: number };

function addImage(
  root: string,
  command: readonly string[],
  addBlob: (content: Buffer) => Descriptor,
): Descriptor {
  const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
  const layer = addBlob(
    execFileSync('tar', ['-c', '--sort=name', '--owner=0', '--group=0', '-C', root, '.'], {
      maxBuffer: 1024 ** 3,
    }),
  );
  const config = addBlob(
    json({
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: { Entrypoint: command },
      rootfs: { type: 'layers', diff_ids: [layer.digest] },
    }),
  );
  return addBlob(
    json({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: CONFIG, ...config },
      layers: [{ mediaType: LAYER, ...layer }],
    }),
  );
}

function pauseRoot(root: string): string {
  mkdirSync(root, { recursive: true });
  copyFileSync(join(nodeRoot(), 'usr/bin/busybox'), join(root, 'busybox'));
  return root;
}

/** Node.js with the libraries that it is linked to, and the program. */
async function consumerRoot(root: string): Promise<string> {
  const linked = execFileSync('ldd', [process.execPath], { encoding: 'utf8' });
  const libraries = [...linked.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
  for (const path of [process.execPath, ...libraries]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(path, join(root, path), { dereference: true });
  }
  await build({
    entryPoints: [fileURLToPath(new URL('consumer.mjs', import.meta.url))],
    outfile: join(root, 'consumer.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@kubewright/source'],
    mainFields: ['module', 'main'],
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return root;
}
