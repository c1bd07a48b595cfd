import type { Backoff } from '@kubewright/runtime';
import type { StorageBackend } from './backend/storage-backend.ts';

/** A simulated CSI driver. */
export type DriverOptions = {
  /** By which StorageClasses, volumes and snapshots name it. */
  readonly name: string;
  /** Where the volumes are. It outlives the driver. */
  readonly backend: StorageBackend;
  /** Volumes can be reached from the nodes whose label of this name has the value that the selected node's has. */
  readonly topologyKey?: string;
  /** Between attempts that fail. */
  readonly backoff: Backoff;
};
