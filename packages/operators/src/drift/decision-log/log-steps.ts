import { type Client, ignoreNotFound, isForbidden, keyOf } from '@kubewright/client';
import { ownerReferenceTo } from '@kubewright/kube';
import type { Steps } from '@kubewright/runtime';
import { COMPONENT } from '../api.ts';
import { requestFor } from '../records/notes.ts';
import { readPlace } from '../records/read-place.ts';
import { decideLog, type LogAction, type ObservedLog } from './decide-log.ts';
import { DECISION_LOGS } from './decision-logs.ts';
import type { PendingDecisions } from './pending-decisions.ts';

/** Writes what was decided to the logs of parents. */
export function logSteps(all: PendingDecisions, limit: number): Steps<ObservedLog, LogAction, never> {
  return {
    async observe({ name: key }, { client, clock }) {
      const pending = all.of(key);
      if (pending === undefined) return undefined;
      const parent = await readPlace(client, pending.place).catch((error: unknown) => {
        if (!isForbidden(error)) throw error;
        // A kind that no administrator has granted.
        all.drop(key, pending);
        return undefined;
      });
      if (parent === undefined) return undefined;
      const { namespace } = pending.place;
      const { uid: name } = parent.metadata;
      const log = await ignoreNotFound(client.get(DECISION_LOGS, { namespace, name }));
      return { pending, age: clock.monotonic() - pending.since, limit, parent, log };
    },
    decide: decideLog,
    async act(action, { client }) {
      await write(action, client);
      all.drop(requestFor(action.pending.place).name, action.pending);
      return 'done';
    },
    subject: ({ parent }) => parent,
    refused: () => ({ reason: 'Rejected' }),
  };
}

/** Guarded: another replica may write the same log. */
async function write(
  { log, parent, decisions, contents, pending }: LogAction,
  client: Client,
): Promise<void> {
  const options = { fieldManager: COMPONENT };
  if (log !== undefined) {
    const { resourceVersion } = log.metadata;
    const body = { metadata: { resourceVersion }, spec: { decisions, contents } };
    await client.patch(DECISION_LOGS, keyOf(log), { type: 'merge', body }, options);
    return;
  }
  const { apiVersion, kind, namespace, name } = pending.place;
  const metadata = { namespace, name: parent.metadata.uid, ownerReferences: [ownerReferenceTo(parent)] };
  const spec = { parent: { apiVersion, kind, name }, decisions, contents };
  await client.create(
    DECISION_LOGS,
    { apiVersion: 'kausality.io/v1alpha1', kind: 'DecisionLog', metadata, spec },
    options,
  );
}
