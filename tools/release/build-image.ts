import assert from 'node:assert/strict';
import { type Architecture, imageConfig, packageFiles } from './image-files.ts';
import { type ImageFile, imageLayer } from '../../packages/kubewright/src/image/image-layer.ts';
import { ociArchive, type PlatformImage } from '../../packages/kubewright/src/image/oci-archive.ts';
import type { PackedPackage } from './pack-packages.ts';

/** What containerd makes of the short name `kubewright`, as the manifests have it: kubelets ask for this one. */
export const imageName = (version: string): string => `docker.io/library/kubewright:${version}`;

export type ImageParts = {
  /** The package `kubewright`. */
  readonly command: PackedPackage;
  /** RFC 3339. */
  readonly created: string;
  /** Node and what it loads, for each architecture that the image is for. */
  readonly bases: Readonly<Partial<Record<Architecture, readonly ImageFile[]>>>;
};

/** The image: a layer that only a new base changes, and one with the command line and the manager. */
export async function buildImage({ command, created, bases }: ImageParts): ReturnType<typeof ociArchive> {
  const { name, version } = command.manifest;
  assert(name === 'kubewright', `the image is of kubewright, not of ${name}`);
  const upper = await imageLayer(packageFiles(command.files));
  const config = imageConfig(version);
  const images: PlatformImage[] = [];
  for (const architecture of ['amd64', 'arm64'] as const) {
    const base = bases[architecture];
    if (base === undefined) continue;
    const layers = [await imageLayer(base), upper];
    images.push({ architecture, layers, config, created });
  }
  return await ociArchive(imageName(version), images);
}
