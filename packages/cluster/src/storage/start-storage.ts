import { defined } from '@kubewright/kube';
import { ADMIN } from '@kubewright/apiserver';
import { type Clock, sleep, systemRandom } from '@kubewright/client';
import { installDefinitions } from '@kubewright/runtime';
import { type PartEnvironment, partManager, type RunningPart } from '../part-manager.ts';
import { addAttacher } from './attacher/add-attacher.ts';
import { StorageBackend } from './backend/storage-backend.ts';
import { installClasses } from './install-classes.ts';
import type { DriverOptions } from './driver-options.ts';
import { addNodePlugin } from './add-node-plugin.ts';
import { addProvisioner } from './provisioner/add-provisioner.ts';
import { addResizer } from './resizer/add-resizer.ts';
import { addSnapshotController } from './snapshots/common/add-snapshot-controller.ts';
import { SNAPSHOT_DEFINITIONS } from './snapshots/definitions.data.ts';
import { addSnapshotSidecar } from './snapshots/sidecar/add-snapshot-sidecar.ts';

/** The default driver of a cluster. */
export const DRIVER_NAME = 'disk.csi.kubewright.dev';

export type StorageOptions = {
  /** Where the volumes are. Default: an empty one that ends with the process. */
  readonly backend?: StorageBackend;
  /** Default {@link DRIVER_NAME}. */
  readonly driver?: string;
  readonly topologyKey?: string;
  /** Between attempts that fail. Default 1 s doubling to 5 minutes, as the sidecars have it. */
  readonly backoff?: DriverOptions['backoff'];
};

const BACKOFF = { baseMs: 1000, maxMs: 300_000 };

/**
 * Runs a simulated CSI driver with its sidecars and the snapshot controller, on the embedded API or a real one. Installs
 * the definitions of snapshots, a CSIDriver, and default classes named `standard`.
 *
 * @example `startStorage({ connect: (user) => server.transport(user), signal, backend })`
 */
export function startStorage(options: PartEnvironment & StorageOptions): RunningPart {
  const { signal, random = systemRandom } = options;
  const { driver = DRIVER_NAME, backoff = BACKOFF, topologyKey } = options;
  const { manager } = partManager(options, { user: ADMIN, program: driver });
  const { client, clock } = manager;
  const { backend = new StorageBackend({ clock }) } = options;
  const about: DriverOptions = {
    name: driver,
    backend,
    backoff,
    ...defined({ topologyKey }),
  };
  addProvisioner(manager, about);
  addAttacher(manager, about);
  addNodePlugin(manager, about);
  addResizer(manager, about);
  addSnapshotController(manager, about);
  addSnapshotSidecar(manager, about);
  const prepared = untilDone({ clock, signal }, async () => {
    await installDefinitions(client, SNAPSHOT_DEFINITIONS, { fieldManager: driver, signal, clock, random });
    await installClasses(client, driver);
  });
  const ended = prepared.then(() => manager.start(signal));
  return { ready: prepared.then(() => manager.cache.waitForSync(signal)), ended };
}

const PATIENCE_MS = 1000;

/** Tries until it works, or the signal is aborted. */
async function untilDone(
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  work: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await work();
    } catch {
      await sleep(clock, PATIENCE_MS, signal);
    }
  }
}
