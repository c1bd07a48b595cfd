import { readFile } from 'node:fs/promises';
import { errorText } from '@kubewright/kube';
import { unpackTar } from 'modern-tar';
import { KubewrightError } from '../kubewright-error.ts';
import { digestOf, type Layer } from './image-layer.ts';

/** An image of one architecture that another one can be built on. */
export type BaseImage = {
  readonly architecture: string;
  readonly layers: readonly Layer[];
  readonly env: readonly string[];
  /** RFC 3339. */
  readonly created: string;
};

type Descriptor = {
  readonly mediaType: string;
  readonly digest: string;
  readonly platform?: { readonly os?: string };
};
type Index = { readonly manifests: readonly Descriptor[] };
type Manifest = { readonly config: Descriptor; readonly layers: readonly Descriptor[] };
type Config = {
  readonly architecture: string;
  readonly created?: string;
  readonly config?: { readonly Env?: readonly string[] };
  readonly rootfs: { readonly diff_ids: readonly string[] };
};

/** The Linux images in an archive of the OCI image layout, one for each architecture. */
export async function readImage(path: string): Promise<readonly BaseImage[]> {
  try {
    const entries = await unpackTar(await readFile(path), { strict: true });
    const files = new Map(entries.map(({ header, data }) => [header.name.replace(/^\.\//, ''), data]));
    const images = [...imagesIn(files, 'index.json')];
    if (images.length === 0) throw new KubewrightError('File', 'it has no image for Linux');
    return images;
  } catch (error) {
    throw new KubewrightError('File', `${path} is no archive of the OCI image layout: ${errorText(error)}`, {
      cause: error,
    });
  }
}

type Files = ReadonlyMap<string, Uint8Array | undefined>;

/** An index may name others: that of the archive one of all architectures. */
function* imagesIn(files: Files, name: string, depth = 0): Generator<BaseImage> {
  const { manifests } = jsonAt(files, name) as Index;
  for (const descriptor of manifests) {
    const at = blobName(descriptor);
    // What says who built it is in the index too, and is for no platform.
    if (descriptor.platform !== undefined && descriptor.platform.os !== 'linux') continue;
    if (/index|manifest\.list/.test(descriptor.mediaType) && depth < 2) yield* imagesIn(files, at, depth + 1);
    else yield imageOf(files, jsonAt(files, at) as Manifest);
  }
}

function imageOf(files: Files, { config: about, layers }: Manifest): BaseImage {
  const config = jsonAt(files, blobName(about)) as Config;
  return {
    architecture: config.architecture,
    created: config.created ?? new Date(0).toISOString(),
    env: config.config?.Env ?? [],
    layers: layers.map((layer, index) => {
      const bytes = contentAt(files, blobName(layer));
      if (digestOf(bytes) !== layer.digest)
        throw new KubewrightError('File', `${layer.digest} is not its blob`);
      const { digest, mediaType } = layer;
      return { digest, mediaType, bytes, diffId: config.rootfs.diff_ids[index] ?? '' };
    }),
  };
}

const blobName = ({ digest }: Descriptor): string => `blobs/${digest.replace(':', '/')}`;

function contentAt(files: Files, name: string): Uint8Array {
  const content = files.get(name);
  if (content === undefined) throw new KubewrightError('File', `it has no ${name}`);
  return content;
}

function jsonAt(files: Files, name: string): unknown {
  return JSON.parse(Buffer.from(contentAt(files, name)).toString());
}
