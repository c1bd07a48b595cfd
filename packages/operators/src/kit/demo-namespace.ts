import { ignoreNotFound, type KindRef } from '@kubewright/client';
import { waitForObject } from '@kubewright/runtime';
import { OperatorError } from '../operator-error.ts';
import type { Stage } from './operator.ts';

const NAMESPACES: KindRef = { group: '', version: 'v1', kind: 'Namespace' };
const LABEL = 'kubewright.io/demo';

/** Makes an empty namespace for a demo. Deletes what an earlier run of the demo left in it. */
export async function demoNamespace({ client, signal }: Stage, name: string): Promise<void> {
  const before = await ignoreNotFound(client.get(NAMESPACES, { name }));
  if (before !== undefined) {
    // A user's namespace may have the same name.
    if (before.metadata.labels?.[LABEL] === undefined)
      throw new OperatorError(
        'Failed',
        `namespace ${name} exists and was not created by a demo; delete it first`,
      );
    await ignoreNotFound(client.delete(NAMESPACES, { name }));
    await waitForObject(client, NAMESPACES, { name }, (found) => found === undefined, { signal });
  }
  const metadata = { name, labels: { [LABEL]: 'true' } };
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata });
}
