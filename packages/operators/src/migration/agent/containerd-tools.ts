import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Transport } from '@kubewright/kube';
import type { NodeTools } from '../checkpoints/checkpoint-jobs.ts';
import { kubeletCheckpoint } from '../checkpoints/kubelet-checkpoint.ts';
import { measured } from '../checkpoints/verified.ts';
import { isOwnImage } from '../checkpoints/order-in.ts';
import { checkpointArchive } from './checkpoint-archive.ts';
import { RegistryImage, type RegistryOptions } from './registry-image.ts';
import type { NodeCommands } from './node-commands.ts';
import { nodeFacts } from './node-facts.ts';

export type ContainerdOptions = {
  /** Calls the kubelet of this node, with a token for `nodes/checkpoint`. */
  readonly kubelet: Transport;
  readonly run: NodeCommands;
  /** Where archives are until containerd has them. */
  readonly folder: string;
  readonly registry?: RegistryOptions;
};

/** The images that the kubelet sees. */
const NAMESPACE = ['--namespace', 'k8s.io'];

/** A node with containerd. Its archives are read and deleted under the paths that the kubelet says. */
export function containerdTools({ kubelet, run, folder, registry }: ContainerdOptions): NodeTools {
  return {
    facts: (image) => nodeFacts(run, image),
    checkpoint: (container) => kubeletCheckpoint(kubelet, container),
    read: (path) => createReadStream(path),
    removeArchive: (path) => rm(path, { force: true }),
    async load(image, archive) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const own = await mkdtemp(join(folder, 'archive-'));
      const path = join(own, 'checkpoint.tar');
      try {
        // The digest of a layer comes before the layer.
        await pipeline(archive, createWriteStream(path, { mode: 0o600 }));
        const read = () => createReadStream(path);
        const file = { ...(await measured(read())), read };
        await run('ctr', [...NAMESPACE, 'images', 'import', '-'], checkpointArchive(image, file));
      } finally {
        await rm(own, { recursive: true, force: true });
      }
    },
    push: (image, archive) => new RegistryImage(image, registry).push(archive),
    // It does nothing where there is none.
    async removeImage(image) {
      if (!isOwnImage(image)) return new RegistryImage(image, registry).remove();
      await run('ctr', [...NAMESPACE, 'images', 'remove', '--sync', image]);
    },
  };
}
