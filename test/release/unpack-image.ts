import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { digestOf } from '../../packages/kubewright/src/image/image-layer.ts';

type Descriptor = {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os: string; readonly architecture: string };
  readonly annotations?: Readonly<Record<string, string>>;
};
type Config = {
  readonly architecture: string;
  readonly os: string;
  readonly config: {
    readonly User: string;
    readonly WorkingDir: string;
    readonly Entrypoint: readonly string[];
    readonly Env: readonly string[];
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
};
export type Unpacked = {
  readonly name: string | undefined;
  readonly platforms: readonly {
    readonly architecture: string | undefined;
    readonly config: Config;
    /** Each before compression. */
    readonly layers: readonly Uint8Array[];
    /** Of what a registry sends. */
    readonly compressed: number;
  }[];
};

/** Reads an archive of the OCI image layout as a container runtime does: each blob has to have its digest and its size. */
export async function unpackImage(archive: Uint8Array): Promise<Unpacked> {
  const entries = await unpackTar(archive, { strict: true });
  const files = new Map(entries.map(({ header, data }) => [header.name, data ?? new Uint8Array()]));
  const blob = ({ digest, size }: Descriptor): Uint8Array => {
    const bytes = files.get(`blobs/${digest.replace(':', '/')}`);
    if (bytes?.length !== size || digestOf(bytes) !== digest)
      throw new RangeError(`${digest} is not its blob`);
    return bytes;
  };
  const json = (bytes: Uint8Array | undefined): unknown => JSON.parse(Buffer.from(bytes ?? []).toString());
  const root = json(files.get('index.json')) as { readonly manifests: readonly [Descriptor] };
  const index = json(blob(root.manifests[0])) as { readonly manifests: readonly Descriptor[] };
  return {
    name: root.manifests[0].annotations?.['io.containerd.image.name'],
    platforms: index.manifests.map((descriptor) => {
      const manifest = json(blob(descriptor)) as { config: Descriptor; layers: readonly Descriptor[] };
      const config = json(blob(manifest.config)) as Config;
      const layers = manifest.layers.map((layer) => gunzipSync(blob(layer)));
      if (String(layers.map(digestOf)) !== String(config.rootfs.diff_ids))
        throw new RangeError('a layer has not the content that the configuration names');
      const compressed = manifest.layers.reduce((sum, { size }) => sum + size, 0);
      return { architecture: descriptor.platform?.architecture, config, layers, compressed };
    }),
  };
}

/** The names in the layers, folders with a slash at their end. */
export async function namesIn(layers: readonly Uint8Array[]): Promise<readonly string[]> {
  const all = await Promise.all(layers.map((layer) => unpackTar(layer)));
  return all.flat().map(({ header }) => header.name);
}

/** Writes the root file system into `root` as a container runtime does, with tar; needs root. */
export function writeRoot(layers: readonly Uint8Array[], root: string): void {
  mkdirSync(root);
  for (const input of layers) execFileSync('tar', ['-x', '-C', root], { input });
}
