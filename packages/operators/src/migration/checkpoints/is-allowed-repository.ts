import type { StatefulMigration } from '../api.ts';
import { isAllowedAddress } from '../is-allowed-address.ts';
import type { Settings } from '../settings.ts';
import { transferOf } from './checkpoint-of.ts';

export const REPOSITORY_NOT_ALLOWED =
  'the registry of spec.checkpointImageRepository is not one of those that an administrator has allowed: MS2M_REGISTRIES of the manager (kubewright manager --ms2m-registries HOST:PORT) lists them';

/** Whether the agents may be sent to the registry that a migration names, if it names one. */
export function isAllowedRepository(
  { metadata, spec }: StatefulMigration,
  { registries }: Pick<Settings, 'registries'>,
): boolean {
  if (transferOf(spec) !== 'Registry') return true;
  return isAllowedAddress(`https://${spec.checkpointImageRepository ?? ''}`, registries, metadata.namespace);
}
