import { ignoreNotFound } from '@kubewright/client';
import { compareText, controllerOf, parseApiVersion, type Stored } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { DECISION_LOGS, type LoggedDecision } from '../decision-log/decision-logs.ts';

/** The logged decisions on an object, the oldest first: from the log of its controller owner, and from its own. */
export async function readDecisions(
  live: Stored,
  { client }: CommandStage,
): Promise<readonly LoggedDecision[]> {
  const { namespace, uid } = live.metadata;
  const owner = controllerOf(live)?.uid;
  if (namespace === undefined) return [];
  const names = owner === undefined ? [uid] : [owner, uid];
  const logs = await Promise.all(
    names.map((name) => ignoreNotFound(client.get(DECISION_LOGS, { namespace, name }))),
  );
  const found = logs.flatMap((log) => (log?.spec.decisions ?? []).filter((one) => isAbout(one, live)));
  // Objects of the same name may have been created before.
  const created = found.findLast(({ allowed, object }) => allowed && object.uid === undefined);
  return found
    .filter((one) => one === created || !one.allowed || one.object.uid !== undefined)
    .toSorted((a, b) => compareText(a.time, b.time));
}

function isAbout({ object }: LoggedDecision, { apiVersion, kind, metadata }: Stored): boolean {
  if (object.uid !== undefined) return object.uid === metadata.uid;
  const groupOf = (version: string): string => parseApiVersion(version).group;
  return (
    object.name === metadata.name &&
    object.kind === kind &&
    groupOf(object.apiVersion) === groupOf(apiVersion)
  );
}
