import { createHash } from 'node:crypto';
import { createTarPacker } from 'modern-tar';

/** An archive that is on disk. */
export type ArchiveFile = {
  /** In hexadecimal digits. */
  readonly sha256: string;
  readonly bytes: number;
  readonly read: () => AsyncIterable<Uint8Array>;
};

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

/** An OCI archive of an image whose only layer is the archive of a checkpoint, as `ctr images import` takes it. */
export async function* checkpointArchive(image: string, archive: ArchiveFile): AsyncGenerator<Uint8Array> {
  const layer = { mediaType: LAYER, digest: `sha256:${archive.sha256}`, size: archive.bytes };
  const config = json({
    architecture: architecture(),
    os: 'linux',
    rootfs: { type: 'layers', diff_ids: [layer.digest] },
  });
  const manifest = json({
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: CONFIG, ...described(config) },
    layers: [layer],
    annotations: Object.fromEntries(ANNOTATIONS.map((key) => [key, image])),
  });
  const named = { 'io.containerd.image.name': image };
  const index = json({
    schemaVersion: 2,
    mediaType: INDEX,
    manifests: [{ mediaType: MANIFEST, ...described(manifest), annotations: named }],
  });
  const small = [
    ['oci-layout', json({ imageLayoutVersion: '1.0.0' })],
    ['index.json', index],
    [blobOf(described(config).digest), config],
    [blobOf(described(manifest).digest), manifest],
  ] as const;
  yield* tar(small, [blobOf(layer.digest), archive]);
}

function json(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function described(content: Uint8Array): { readonly digest: string; readonly size: number } {
  return { digest: `sha256:${createHash('sha256').update(content).digest('hex')}`, size: content.length };
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
