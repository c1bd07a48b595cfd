import type { SnapshotClass } from '../../api/snapshots.ts';
import { internal } from '../read-fault.ts';
import type { Fault } from '../volume-reason.ts';

/** The Secret with the driver's credentials for a snapshot. */
export type SnapshotSecret = { readonly name: string; readonly namespace: string };

/** What the templates of a class may name. The namespace's may not name the snapshot, which users call as they like. */
type Tokens = { readonly content: string; readonly snapshot: SnapshotSecret };

/** The parameters of a class that name the Secret, as external-snapshotter has them. */
const PARAMETERS = {
  name: 'csi.storage.k8s.io/snapshotter-secret-name',
  namespace: 'csi.storage.k8s.io/snapshotter-secret-namespace',
} as const;

const TOKEN = /\$\{([^}]{0,253})\}/g;

/** The Secret that a class names for a snapshot, undefined if it names none, or why it cannot be known. */
export function snapshotSecret(
  { metadata, parameters = {} }: SnapshotClass,
  { content, snapshot }: Tokens,
): SnapshotSecret | Fault | undefined {
  const { [PARAMETERS.name]: name, [PARAMETERS.namespace]: namespace } = parameters;
  if (name === undefined && namespace === undefined) return undefined;
  const title = `VolumeSnapshotClass ${metadata.name}`;
  if (!name || !namespace)
    return internal(`${title} needs both parameters, ${PARAMETERS.name} and ${PARAMETERS.namespace}`);
  const known = { 'volumesnapshotcontent.name': content, 'volumesnapshot.namespace': snapshot.namespace };
  const secret = {
    name: expanded(name, { ...known, 'volumesnapshot.name': snapshot.name }),
    namespace: expanded(namespace, known),
  };
  const unknown = [...`${secret.name} ${secret.namespace}`.matchAll(TOKEN)].map(([token]) => token);
  return unknown.length === 0 ? secret : internal(`${title} names a Secret by ${unknown.join(', ')}`);
}

function expanded(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(TOKEN, (token, key: string) => values[key] ?? token);
}
