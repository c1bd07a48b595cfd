import { ignoreNotFound, type ObjectKey } from '@kubewright/client';
import type { ScenarioContext } from '@kubewright/cluster';
import { STATEFUL_MIGRATIONS, type StatefulMigration } from '@kubewright/operators';

/** Phases after which nothing happens any more. */
export const OVER = new Set(['Completed', 'Failed', 'Rejected', 'Aborted']);

export async function isOver({ client }: ScenarioContext, key: ObjectKey): Promise<boolean> {
  const live = await migrationOf(client, key);
  return live === undefined || OVER.has(live.status?.phase ?? '');
}

export async function migrationOf(
  client: ScenarioContext['client'],
  key: ObjectKey,
): Promise<StatefulMigration | undefined> {
  return ignoreNotFound(client.get(STATEFUL_MIGRATIONS, key));
}
