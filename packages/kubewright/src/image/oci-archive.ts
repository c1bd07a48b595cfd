import { packTar } from 'modern-tar';
import { type Blob, digestOf, type Layer } from './image-layer.ts';

/** What a container of the image runs, and as whom. */
export type ImageConfig = {
  readonly User: string;
  readonly WorkingDir: string;
  readonly Entrypoint: readonly string[];
  readonly Env: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
};

/** The image of one architecture: its layers, the lowest first. */
export type PlatformImage = {
  readonly architecture: string;
  readonly layers: readonly Layer[];
  readonly config: ImageConfig;
  /** RFC 3339. */
  readonly created: string;
};

const TYPES = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
};

/**
 * An archive of the OCI image layout (https://github.com/opencontainers/image-spec/blob/main/image-layout.md) with one index of all
 * platforms. `name` is what containerd calls the image after `ctr images import`: with a registry and a tag.
 *
 * @returns the archive, and the digest of the index: what a registry would call the image
 */
export async function ociArchive(
  name: string,
  images: readonly PlatformImage[],
): Promise<{ readonly archive: Uint8Array; readonly digest: string }> {
  const blobs = new Map<string, Uint8Array>();
  const keep = ({ digest, bytes }: Blob): Blob => {
    blobs.set(digest, bytes);
    return { digest, bytes };
  };
  const manifests = images.map((image) => {
    const descriptor = descriptorOf(TYPES.manifest, keep(manifestOf(image, keep)));
    return { ...descriptor, platform: { os: 'linux', architecture: image.architecture } };
  });
  const all = keep(json({ schemaVersion: 2, mediaType: TYPES.index, manifests }));
  const annotations = {
    'io.containerd.image.name': name,
    'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
  };
  const root = { schemaVersion: 2, manifests: [{ ...descriptorOf(TYPES.index, all), annotations }] };
  const files: [string, Uint8Array][] = [
    ['oci-layout', json({ imageLayoutVersion: '1.0.0' }).bytes],
    ['index.json', json(root).bytes],
    ...[...blobs].map(([digest, bytes]): [string, Uint8Array] => [
      `blobs/${digest.replace(':', '/')}`,
      bytes,
    ]),
  ];
  return { archive: await packFiles(files), digest: all.digest };
}

function manifestOf({ layers, ...image }: PlatformImage, keep: (blob: Blob) => Blob): Blob {
  const config = json({
    created: image.created,
    architecture: image.architecture,
    os: 'linux',
    config: image.config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created: image.created, created_by: 'kubewright' })),
  });
  return json({
    schemaVersion: 2,
    mediaType: TYPES.manifest,
    config: descriptorOf(TYPES.config, keep(config)),
    layers: layers.map((layer) => descriptorOf(layer.mediaType ?? TYPES.layer, keep(layer))),
  });
}

function descriptorOf(mediaType: string, { digest, bytes }: Blob) {
  return { mediaType, digest, size: bytes.length };
}

function json(value: unknown): Blob {
  const bytes = Buffer.from(JSON.stringify(value));
  return { digest: digestOf(bytes), bytes };
}

function packFiles(files: readonly [string, Uint8Array][]): Promise<Uint8Array> {
  const mtime = new Date(0);
  return packTar(
    files.map(([name, body]) => ({
      header: { name, size: body.length, mode: 0o644, mtime, uid: 0, gid: 0 },
      body,
    })),
  );
}
