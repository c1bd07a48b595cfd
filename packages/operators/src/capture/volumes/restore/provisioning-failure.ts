import { corev1, parseTime, type Stored } from '@kubewright/kube';
import type { Io } from '@kubewright/runtime';

/** Why a provisioner has not made the volume of a claim. */
export type ProvisioningFailure = {
  readonly message: string;
  /** Whether the same request cannot succeed later either. */
  readonly permanent: boolean;
};

/** external-provisioner's, about a claim. Nobody but the provisioner knows more, and it reports in no other way. */
const REASON = 'ProvisioningFailed';

/**
 * The gRPC codes of CreateVolume after which a caller has to change the request before it tries again, by the CSI
 * specification. After all others, and after messages without a code (a snapshot that is not ready yet), provisioners
 * try again.
 */
const PERMANENT = ['InvalidArgument', 'NotFound', 'AlreadyExists', 'OutOfRange', 'Unimplemented'];
const CODE = /rpc error: code = (\w+) desc = /;

/** The last failure that the provisioner reported of a claim. */
export async function readFailure(
  { metadata: { namespace, uid } }: Stored<corev1.PersistentVolumeClaim>,
  { client, signal }: Pick<Io, 'client' | 'signal'>,
): Promise<ProvisioningFailure | undefined> {
  const fieldSelector = `involvedObject.uid=${uid},reason=${REASON}`;
  const { items } = await client.list(corev1.events, { namespace, fieldSelector, signal });
  const [last] = items.toSorted((a, b) => lastSeen(b) - lastSeen(a));
  return last === undefined ? undefined : failureOf(last.message ?? '');
}

/** What an Event's message says. */
export function failureOf(message: string): ProvisioningFailure {
  return { message, permanent: PERMANENT.includes(CODE.exec(message)?.[1] ?? '') };
}

function lastSeen({ series, lastTimestamp, eventTime, metadata }: Stored<corev1.Event>): number {
  const time = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  return time ? parseTime(time).getTime() : 0;
}
