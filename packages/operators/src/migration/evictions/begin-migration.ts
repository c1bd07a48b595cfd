import { type Client, isAlreadyExists } from '@kubewright/client';
import type { KubeObject } from '@kubewright/kube';
import { COMPONENT, STATEFUL_MIGRATIONS } from '../api.ts';

/** Creates a migration, unless somebody else has created it at the same time. */
export async function beginMigration(client: Client, migration: KubeObject): Promise<void> {
  try {
    await client.create<KubeObject>(STATEFUL_MIGRATIONS, migration, { fieldManager: COMPONENT });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
