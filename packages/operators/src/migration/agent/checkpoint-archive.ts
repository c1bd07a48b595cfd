import { createHash } from 'node:crypto';
import { createTarPacker } from 'modern-tar';
import type { ArchiveFile } from '../checkpoints/verified.ts';

const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar';
/** What runtimes know an image with a checkpoint by. */
const ANNOTATIONS = [
  // containerd
  'org.criu.checkpoint.container.name',
  // CRI-O
  'io.kubernetes.cri-o.annotations.checkpoint.name',
];

/** A blob of an image, as a manifest describes it. */
export type Blob = { readonly digest: string; readonly size: number };
type SmallBlob = Blob & { readonly content: Uint8Array };

/** An image whose only layer is the archive of a checkpoint. */
export type CheckpointImage = {
  readonly layer: Blob;
  readonly config: SmallBlob;
  readonly manifest: SmallBlob & { readonly mediaType: string };
};

/** `image`: its name, which runtimes find in its annotations. */
export function checkpointImage(image: string, archive: ArchiveFile): CheckpointImage {
  const layer = { digest: `sha256:${archive.sha256}`, size: archive.bytes };
  const rootfs = { type: 'layers', diff_ids: [layer.digest] };
  const config = blob({ architecture: architecture(), os: 'linux', rootfs });
  const { digest, size } = config;
  const manifest = blob({
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: CONFIG, digest, size },
    layers: [{ mediaType: LAYER, ...layer }],
    annotations: Object.fromEntries(ANNOTATIONS.map((key) => [key, image])),
  });
  return { layer, config, manifest: { ...manifest, mediaType: MANIFEST } };
}

/** The OCI archive of such an image, as `ctr images import` takes it. */
export async function* checkpointArchive(image: string, archive: ArchiveFile): AsyncGenerator<Uint8Array> {
  const { layer, config, manifest } = checkpointImage(image, archive);
  const { digest, size, mediaType } = manifest;
  const annotations = { 'io.containerd.image.name': image };
  const index = { schemaVersion: 2, mediaType: INDEX, manifests: [{ mediaType, digest, size, annotations }] };
  const small = [
    ['oci-layout', blob({ imageLayoutVersion: '1.0.0' }).content],
    ['index.json', blob(index).content],
    [blobOf(config.digest), config.content],
    [blobOf(digest), manifest.content],
  ] as const;
  yield* tar(small, [blobOf(layer.digest), archive]);
}

function blob(value: object): SmallBlob {
  const content = Buffer.from(JSON.stringify(value));
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  return { digest, size: content.length, content };
}

function blobOf(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

/** This machine's, as OCI and Kubernetes name it. */
export function architecture(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}

async function* tar(
  small: readonly (readonly [string, Uint8Array])[],
  [name, archive]: readonly [string, ArchiveFile],
): AsyncGenerator<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const write = async (): Promise<void> => {
    for (const [entry, content] of small) {
      const writer = controller.add({ name: entry, size: content.length }).getWriter();
      await writer.write(content);
      await writer.close();
    }
    const writer = controller.add({ name, size: archive.bytes }).getWriter();
    for await (const chunk of archive.read()) await writer.write(chunk);
    await writer.close();
    controller.finalize();
  };
  const written = write();
  written.catch((error: unknown) => controller.error(error));
  yield* readable;
  await written;
}
